/** The alphabet of GSM 03.38: what an SMS carries in 7 bits a character. */
const GSM_BASIC = new Set(
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
/** These take two places: an escape comes before them. */
const GSM_EXTENDED = new Set("\f^{}\\[~]|€")

const limits = {
  gsm7: { single: 160, part: 153 },
  ucs2: { single: 70, part: 67 }
} as const

export interface SmsSize {
  readonly encoding: keyof typeof limits
  /** Places that the text takes: characters, but escaped ones and those beyond U+FFFF take two. */
  readonly length: number
  readonly parts: number
  /** Places left in the last part. */
  readonly left: number
}

const isGsm = (character: string): boolean => GSM_BASIC.has(character) || GSM_EXTENDED.has(character)

/** A character is not divided between two parts, so a part may end a place early. */
const partsOf = (widths: ReadonlyArray<number>, capacity: number) => {
  let parts = 1
  let used = 0
  for (const width of widths) {
    if (used + width > capacity) {
      parts += 1
      used = 0
    }
    used += width
  }
  return { parts, left: capacity - used }
}

/** How an SMS carries a text: GSM-7 where every character has a place in it, else UCS-2. */
export const smsSize = (text: string): SmsSize => {
  const characters = Array.from(text)
  const encoding = characters.every(isGsm) ? "gsm7" : "ucs2"
  const widths = characters.map((character) =>
    encoding === "gsm7" ? (GSM_EXTENDED.has(character) ? 2 : 1) : character.length
  )
  const length = widths.reduce((sum, width) => sum + width, 0)
  const { single, part } = limits[encoding]
  if (length === 0) return { encoding, length, parts: 0, left: single }
  return {
    encoding,
    length,
    ...(length <= single ? { parts: 1, left: single - length } : partsOf(widths, part))
  }
}
