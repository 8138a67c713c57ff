/** Unix milliseconds that never go back: comparable with the records of the processes and the store. */
export const now = (): number => performance.timeOrigin + performance.now()
