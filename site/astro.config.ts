import { satteri } from "@astrojs/markdown-satteri"
import starlight from "@astrojs/starlight"
import { defineConfig } from "astro/config"
import { fileURLToPath } from "node:url"
import { BASE, slugOf, titleOf } from "./lib/Documents.ts"
import { shikiTheme } from "./lib/Samples.ts"
import { sidebarOf } from "./lib/Sidebar.ts"
import { breakableNames, classesForColours, emptyHeaders, links } from "./plugins/Markdown.ts"
import { strict } from "./plugins/StrictPages.ts"
import { prepare, readSource, sources } from "./prepare.ts"

prepare()

const decisions = sources
  .filter((file) => /decisions\/\d/.test(file))
  .map((file) => ({ slug: slugOf(file), label: titleOf(readSource(file)) }))

const titles = new Map(sources.map((file) => [`${BASE}${slugOf(file)}/`, titleOf(readSource(file))]))

export default defineConfig({
  base: BASE,
  outDir: fileURLToPath(new URL("../build/site/", import.meta.url)),
  trailingSlash: "always",
  compressHTML: true,
  build: { inlineStylesheets: "never" },
  vite: { build: { assetsInlineLimit: 0, cssMinify: true } },
  // what the pages have inline becomes files after the build: see plugins/StrictPages.ts
  markdown: {
    processor: satteri({
      features: { smartPunctuation: false },
      hastPlugins: [links(new Set(sources), titles), emptyHeaders(), breakableNames()]
    }),
    shikiConfig: {
      theme: shikiTheme,
      langAlias: { sh: "shellscript" },
      transformers: [classesForColours]
    }
  },
  integrations: [
    starlight({
      title: { en: "Peyk", fa: "پیک" },
      description: "One-time codes and messages for Iranian phones, over messengers and SMS",
      defaultLocale: "root",
      locales: {
        root: { label: "English", lang: "en" },
        fa: { label: "فارسی", lang: "fa", dir: "rtl" }
      },
      favicon: "/icon.svg",
      sidebar: sidebarOf(decisions),
      expressiveCode: false,
      customCss: ["./src/styles/peyk.css", "./src/styles/landing.css"],
      pagefind: false,
      credits: false,
      disable404Route: true,
      markdown: { headingLinks: true },
      components: {
        Search: "./src/components/Search.astro",
        SiteTitle: "./src/components/SiteTitle.astro",
        ThemeProvider: "./src/components/ThemeProvider.astro",
        ThemeSelect: "./src/components/ThemeSelect.astro",
        LanguageSelect: "./src/components/LanguageSelect.astro",
        Hero: "./src/components/Hero.astro",
        FallbackContentNotice: "./src/components/FallbackNotice.astro",
        MobileMenuFooter: "./src/components/MobileMenuFooter.astro"
      }
    }),
    strict()
  ]
})
