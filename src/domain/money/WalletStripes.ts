/** One part of a wallet. */
export interface WalletStripe {
  readonly stripe: number
  readonly balance: number
  readonly held: number
}

/**
 * The wallet's parts after they hold these amounts, by part. The available balance is spread again if a part does not
 * cover its amount. The whole wallet must cover all of them.
 */
export const holdInStripes = (
  stripes: ReadonlyArray<WalletStripe>,
  amounts: ReadonlyMap<number, number>
): ReadonlyArray<WalletStripe> => {
  const holding = stripes.map((part) => ({ ...part, held: part.held + (amounts.get(part.stripe) ?? 0) }))
  if (holding.every(({ balance, held }) => balance >= held)) return holding
  const free = holding.reduce((sum, { balance, held }) => sum + balance - held, 0)
  const share = Math.floor(free / holding.length)
  const rest = free - share * holding.length
  return holding.map((part, nth) => ({ ...part, balance: part.held + share + (nth < rest ? 1 : 0) }))
}
