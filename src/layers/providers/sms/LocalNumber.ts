import type { Phone } from "../../../domain/Phone.ts"

/** As SMS providers have it in their examples: `09123456789`. */
export const localNumber = (phone: Phone): string => `0${phone.slice("+98".length)}`
