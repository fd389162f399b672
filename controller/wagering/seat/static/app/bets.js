// What a player may do with bets now, computed from what the table takes and what the player has there. Nothing is sent.

/** Whether bets are taken at all. */
export const betsOpen = (felt) => felt?.phase === "betting" && !felt.held && !felt.free_hand;

/** Whether a spot takes a bet. */
export function takes(felt, spot) {
  if (!betsOpen(felt) || !(spot in felt.spots)) return false;
  if (felt.live.includes(spot) && felt.spots[spot].price === null) return false; // the cards have decided it
  return felt.open_spots === null || felt.open_spots.includes(spot);
}

/** The bets on their way: id of a call -> its bets, without those of calls that the stream has told already. */
export function onTheWay(own, calls) {
  const told = new Set((own?.bets ?? []).map((bet) => bet.call));
  return [...calls].flatMap(([id, bets]) => (told.has(id) ? [] : bets));
}

/** A player's bets in a round are numbered from 1, those that are undone later included. */
export const numberOf = (bet) => Number(bet.id.slice(bet.id.lastIndexOf("/") + 1));

/** Spot -> what lies there, chips on their way included. */
export function stakes(own, waiting = []) {
  const lies = {};
  for (const bet of [...waiting, ...(own?.bets ?? [])]) lies[bet.spot] = (lies[bet.spot] ?? 0) + bet.stake;
  return lies;
}

/** How much a spot still takes; null: as much as one likes. */
export function room(felt, lies, spot) {
  const most = felt.spots[spot].max;
  return most === null ? null : Math.max(0, most - (lies[spot] ?? 0));
}

const fitting = (felt, lies, spot, stake) => Math.min(stake, room(felt, lies, spot) ?? stake);

/** One more chip on a spot: its bet, or null where the limit is reached. */
export function added(felt, lies, spot, chip) {
  const stake = fitting(felt, lies, spot, chip);
  return stake > 0 ? { spot, stake } : null;
}

/** All bets once more, up to the limits. */
export function doubled(felt, lies) {
  const bets = Object.entries(lies).filter(([spot]) => takes(felt, spot));
  return bets.map(([spot, stake]) => ({ spot, stake: fitting(felt, lies, spot, stake) })).filter(({ stake }) => stake > 0);
}

/** The bets of the round before, as far as this table still takes them. */
export function repeated(felt, own) {
  const bets = Object.entries(own?.previous ?? {}).filter(([spot]) => takes(felt, spot));
  const kept = Object.fromEntries(bets);
  return bets
    .filter(([spot]) => !(felt.needs[spot] && !(felt.needs[spot] in kept)))
    .map(([spot, stake]) => ({ spot, stake: fitting(felt, {}, spot, stake) }));
}

export const total = (bets) => bets.reduce((sum, bet) => sum + bet.stake, 0);

/** The bets with the offer that each is taken at, where its price follows the cards. */
export function offered(felt, bets) {
  return bets.map((bet) => {
    const { offer } = felt.spots[bet.spot];
    return offer === null ? bet : { ...bet, offer };
  });
}

/** The hands that ask for a decision: those with a bet. */
export function askedHands(felt, own) {
  if (felt?.phase !== "decision") return [];
  const lies = stakes(own);
  return Object.keys(felt.decisions).filter((hand) => lies[felt.decisions[hand].base]);
}

/** Those of them for which nothing is decided. */
export const undecided = (felt, own) => askedHands(felt, own).filter((hand) => !own.decisions[hand]);
