/** How texts and questions become words that can be compared, in English and Persian. */

/** Words of questions that say nothing about what is looked for. */
const EMPTY = new Set(
  "a an and are as at be by can do does for from how i if in is it its mean means me my of on or per that the this to use what when where which who why with you your چگونه چطور چه چیست را از به در و با که این آن یک برای کنم می ها".split(
    " "
  )
)

/** One form of letters and digits that are written in several ways. */
const unified = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\u064b-\u065f\u0670\u0640]/g, "")
    .replaceAll("ي", "ی")
    .replaceAll("ك", "ک")
    .replaceAll(/[ۀة]/g, "ه")
    .replaceAll(/[أإآ]/g, "ا")
    .replaceAll(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))
    .replaceAll(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))

const singular = (word: string): string => (/^[a-z]{3,}[^s]s$/.test(word) ? word.slice(0, -1) : word)

/** A word, and the parts that it is written of: `channel_ambiguous` and وب‌هوک are found by each. */
const formsOf = (word: string): ReadonlyArray<string> => {
  const parts = word.split(/[_\u200c-]/).filter((part) => part.length > 1)
  const whole = word.replaceAll(/[\u200c-]/g, "")
  return [...new Set([whole, ...parts].map(singular))]
}

/** The words of a text; those of one place in it are next to one another. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  (unified(text).match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}_\u200c-]*/gu) ?? []).flatMap(formsOf)

/** The words of a question. One that has nothing but empty words keeps them. */
export const wordsOfQuestion = (text: string): ReadonlyArray<string> => {
  const asked = (unified(text).match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}_\u200c-]*/gu) ?? []).map((word) =>
    singular(word.replaceAll(/[\u200c-]/g, ""))
  )
  const telling = asked.filter((word) => !EMPTY.has(word))
  return telling.length > 0 ? telling : asked
}
