/** Unix milliseconds that never go back: comparable with what the processes and the store write down. */
export const now = (): number => performance.timeOrigin + performance.now()
