import { Option } from "effect"

export const MIN_PASSWORD_LENGTH = 8
export const MAX_PASSWORD_LENGTH = 1024

/** A password in one form: keyboards write some letters as one character, or as two. */
export const normalizePassword = (password: string): string => password.normalize("NFC")

/** Length in characters. Only the length makes a password good, so Peyk requires nothing else. */
export const isPassword = (password: string): boolean => {
  const { length } = [...normalizePassword(password)]
  return password.isWellFormed() && length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH
}

/** The parameters of argon2id: memory in KiB. */
export interface HashCost {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

interface PasswordHash {
  readonly cost: HashCost
  readonly nonce: Uint8Array
  readonly tag: Uint8Array
}

/** The cost of new hashes: OWASP's minimum. Older hashes contain their own cost. */
export const CURRENT_COST: HashCost = { memory: 19_456, passes: 2, parallelism: 1 }
export const NONCE_BYTES = 16
export const TAG_BYTES = 32

const FORM = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** `$argon2id$v=19$m=19456,t=2,p=1$<nonce>$<tag>`: the PHC string format. */
export const formatHash = ({ cost, nonce, tag }: PasswordHash): string => {
  const encode = (bytes: Uint8Array) => bytes.toBase64({ omitPadding: true })
  const { memory, passes, parallelism } = cost
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(nonce)}$${encode(tag)}`
}

/** A single extra sextet is not a byte. */
const decode = (text: string): Uint8Array | null =>
  text.length % 4 === 1 ? null : Uint8Array.fromBase64(text)

export const parseHash = (text: string): Option.Option<PasswordHash> => {
  const [, memory, passes, parallelism, nonceText = "", tagText = ""] = FORM.exec(text) ?? []
  if (memory === undefined) return Option.none()
  const [nonce, tag] = [decode(nonceText), decode(tagText)]
  if (nonce === null || tag === null) return Option.none()
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  return Option.some({ cost, nonce, tag })
}

/** Whether its cost differs from that of new hashes. */
export const isOutdated = ({ cost }: PasswordHash): boolean =>
  cost.memory !== CURRENT_COST.memory ||
  cost.passes !== CURRENT_COST.passes ||
  cost.parallelism !== CURRENT_COST.parallelism
