// Money is a BigInt of minor units; a ratio is exact. No floating point is involved.

/** "11:1", "3:2" or "0.95:1" as [numerator, denominator]. */
export function ratio(text) {
  const [left, right] = text.split(':').map((part) => {
    if (!/^\d+(\.\d+)?$/.test(part)) throw new Error(`no ratio: ${text}`);
    const [whole, fraction = ''] = part.split('.');
    return { digits: BigInt(whole + fraction), scale: 10n ** BigInt(fraction.length) };
  });
  return [left.digits * right.scale, right.digits * left.scale];
}

/** What is returned to the player, including the stake; a fraction of a minor unit is rounded down. */
export function returned(stake, spot) {
  switch (spot.result) {
    case 'win': {
      if (spot.pays === null) throw new Error('a spot with live prices: a bet on it is paid the price it was taken at');
      const [numerator, denominator] = ratio(spot.pays);
      return stake + (stake * numerator) / denominator;
    }
    case 'push':
      return stake;
    case 'lose':
    case 'not_placed':
      return 0n;
    default:
      throw new Error(`a result that this program does not know: ${spot.result}`);
  }
}
