/**
 * The operators of Iranian mobile numbers, by the three digits after the country's code. A number that was ported to
 * another operator keeps its digits: it counts for the first one.
 */
const prefixes = {
  mci: "910 911 912 913 914 915 916 917 918 919 990 991 992 993 994 995 996".split(" "),
  irancell: "900 901 902 903 904 905 930 933 935 936 937 938 939 941".split(" "),
  rightel: "920 921 922 923".split(" ")
} as const

export type Operator = keyof typeof prefixes | "other"

/** Those that have prefixes, with them; numbers with none of these are of `other`. */
export const operatorPrefixes: ReadonlyArray<readonly [Operator, ReadonlyArray<string>]> = [
  ["mci", prefixes.mci],
  ["irancell", prefixes.irancell],
  ["rightel", prefixes.rightel]
]

const byPrefix: ReadonlyMap<string, Operator> = new Map(
  operatorPrefixes.flatMap(([operator, own]) => own.map((prefix) => [prefix, operator] as const))
)

/** `+989121234567` → `mci` */
export const operatorOf = (phone: string): Operator => byPrefix.get(phone.slice(3, 6)) ?? "other"
