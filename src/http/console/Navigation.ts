import { CONSOLE_PATH } from "./ConsolePaths.ts"

const pages = {
  overview: ["Overview", "نمای کلی"]
} as const satisfies Readonly<Record<string, readonly [english: string, persian: string]>>

export type PageName = keyof typeof pages

export const pathOf = (name: PageName): `/${string}` => `${CONSOLE_PATH}/${name}`

const group = (english: string, persian: string, names: ReadonlyArray<PageName>) => ({
  english,
  persian,
  pages: names.map((name) => {
    const [inEnglish, inPersian] = pages[name]
    return { name, path: pathOf(name), english: inEnglish, persian: inPersian }
  })
})

/** The console's pages, in the order in which they are listed. */
export const navigation = [group("Activity", "فعالیت", ["overview"])]
