// The boards of the games: /static/games/<game>.js, found by the game's name.

import * as plain from "./plain.js";

const boards = {};

/** Load the boards of these games; what shows any other is plain. */
export async function loadBoards(names) {
  await Promise.all(
    names.map(async (name) => {
      boards[name] = await import(`../games/${name}.js`);
    }),
  );
}

/** The board of the game that is shown. */
export const boardOf = ({ game }) => boards[game] ?? plain;
