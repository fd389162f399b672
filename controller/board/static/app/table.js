// The page of one table: /table/<site>/<id>

import { showCards, tableBoard } from "./board.js";
import { begin, followTable } from "./page.js";

begin(() => followTable("title.table", "table", tableBoard, { first: showCards }));
