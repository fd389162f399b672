// What a message does to accounts. Pure: it computes the postings; the ledger writes them.
//
// A posting is {kind, round, account, spot, amount, result?}; amount is text, a signed integer of minor
// units from the player's side: a stake is negative, a return is positive.
import { returned } from './money.mjs';

const FINAL = 'dealertable.round.final.v1';

export class Book {
  #standing;
  #stakes = new Map(); // round -> postings of its stakes, until it is final or void
  #paid = new Map(); // the same of what was paid on it
  #balances = new Map();

  /** `standing`: [{account, spot, stake}], the bets that stand in every round. */
  constructor(standing) {
    this.#standing = standing;
  }

  /** The postings that follow from a message. Nothing is remembered before `post`. */
  judge(message) {
    const { data, id } = message;
    switch (message.type) {
      case 'dealertable.round.bets_closed.v1':
        return this.#stakes.has(data.round) ? [] : this.#take(data.round);
      case 'dealertable.round.result.v1':
        return [...this.#reverse(data.round), ...this.#pay(data, id)];
      case 'dealertable.round.void.v1':
        // `retracts` is null where a new unit does not know the result that its dead one published last
        return [...this.#reverse(data.round), ...this.#refund(data.round)];
      default:
        return []; // a type that we do not need, or do not know yet
    }
  }

  /** The rounds that a person must end, once this message is taken: no other will say how to pay them. */
  forPeople({ type, sequence, data }) {
    if (sequence === 1) return [...this.#stakes.keys()].filter((round) => round !== data.round);
    if (type !== FINAL || !this.#stakes.has(data.round)) return [];
    return this.#paid.get(data.round)?.[0].revision === data.revision ? [] : [data.round];
  }

  /** This line of the ledger is durable now. */
  post({ type, round: about, postings }) {
    for (const posting of postings) {
      const { kind, round, account, amount } = posting;
      this.#balances.set(account, (this.#balances.get(account) ?? 0n) + BigInt(amount));
      if (kind === 'stake') this.#among(this.#stakes, round).push(posting);
      if (kind === 'refund') this.#stakes.delete(round);
      if (kind === 'pay') this.#among(this.#paid, round).push(posting);
      if (kind === 'reverse') this.#paid.delete(round);
    }
    if (type === FINAL) [this.#stakes, this.#paid].forEach((rounds) => rounds.delete(about));
  }

  /** Account -> minor units, as text. */
  balances() {
    return Object.fromEntries([...this.#balances].map(([account, amount]) => [account, String(amount)]));
  }

  #take(round) {
    return this.#standing.map(({ account, spot, stake }) => ({
      kind: 'stake', round, account, spot, amount: String(-BigInt(stake)),
    }));
  }

  #pay({ round, bets, revision }, result) {
    return (this.#stakes.get(round) ?? []).map(({ account, spot, amount }) => {
      if (!(spot in bets)) throw new Error(`${round}: the result does not name the spot ${spot}`);
      const back = returned(-BigInt(amount), bets[spot]);
      return { kind: 'pay', round, account, spot, amount: String(back), result, revision };
    });
  }

  #reverse(round) {
    return (this.#paid.get(round) ?? []).map((posting) => ({
      ...posting, kind: 'reverse', amount: String(-BigInt(posting.amount)),
    }));
  }

  #refund(round) {
    return (this.#stakes.get(round) ?? []).map((posting) => ({
      ...posting, kind: 'refund', amount: String(-BigInt(posting.amount)),
    }));
  }

  #among(map, key) {
    if (!map.has(key)) map.set(key, []);
    return map.get(key);
  }
}
