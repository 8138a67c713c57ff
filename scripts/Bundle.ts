import { isAbsolute } from "node:path"
import { type Plugin, rolldown } from "rolldown"

export interface BundleOptions {
  readonly input: Readonly<Record<string, string>>
  /** The folder of the result. */
  readonly target: string
  /** The expression that takes the place of `import.meta.url` in a source file: what it reads stands next to it. */
  readonly urlOf: (file: string) => string
  /** Packages that stay imports. */
  readonly external?: ReadonlyArray<string | RegExp>
  /** Whether stacks are to name the source: `layers/system/SourceStacks.ts` reads the maps. */
  readonly hasMaps?: boolean
}

const keepPlaces = (urlOf: BundleOptions["urlOf"]): Plugin => ({
  name: "keep-places",
  transform: {
    filter: { id: /\.ts$/, code: "import.meta.url" },
    handler: (code, id) => code.replaceAll("import.meta.url", urlOf(id))
  }
})

/** Every module that was looked at, also those that nothing was taken of. */
const gatherModules = (modules: Set<string>): Plugin => ({
  name: "gather-modules",
  buildEnd() {
    for (const id of this.getModuleIds()) if (isAbsolute(id)) modules.add(id)
  }
})

/** The folders of the installed packages that such files belong to. */
export const packagesOf = (files: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(files.flatMap((file) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file) ?? []))
]

/** Comments of the source are of no use at run time; licenses are listed in LICENSES.md. */
const comments = { legal: false, annotation: false, jsdoc: false }

/**
 * Makes few files of the program: Node loads them in a fraction of the time that 1,300 modules take. Names stay, so
 * that a stack trace can be read. Returns the files that the result was made of.
 */
export const bundle = async ({ input, target, urlOf, external = [], hasMaps = false }: BundleOptions) => {
  const modules = new Set<string>()
  const made = await rolldown({
    input: { ...input },
    platform: "node",
    external: [...external],
    logLevel: "silent",
    plugins: [keepPlaces(urlOf), gatherModules(modules)]
  })
  const { output } = await made.write({
    dir: target,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    comments,
    sourcemap: hasMaps && "hidden",
    sourcemapExcludeSources: true
  })
  await made.close()
  return { modules: [...modules], files: output.map(({ fileName }) => fileName) }
}
