/** The build of the dashboard into static files, and its development server in front of a running service. */
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compression } from './build/compression.ts'
import { mantineStyles } from './build/mantine-styles.ts'
import { mantineVariables } from './build/mantine-variables.ts'

/** Steps and sentences about decisions, and sentences of the server, in each language: the first screen has none. */
const DECISIONS =
  /\/(?:dashboard\/src\/(?:decisions\/[\w-]+|parts\/server-texts)|client\/src\/(?:steps|(?:sentence|forecast)(?:-texts|-parts)?))\.tsx?$/

/** Parts of tables and of pages about people, which many screens share and the first one has not. */
const LISTS = /\/dashboard\/src\/(?:people\/people-texts|parts\/table\/(?:table|filter-field|paging))\.tsx?$/

const fromHere = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: fromHere('.'),
  base: '/app/',
  // The page is served below any path of a proxy: the server writes the addresses in it, and files name each other.
  experimental: { renderBuiltUrl: (_name, { hostType }) => (hostType === 'html' ? undefined : { relative: true }) },
  plugins: [react(), mantineVariables(), mantineStyles(), compression()],
  resolve: { alias: { '@postrider/client': fromHere('../client/src') } },
  build: {
    target: 'es2022',
    emptyOutDir: true,
    // An inline script, which the policy of the page does not permit; the browsers of the target do without it.
    modulePreload: { polyfill: false },
    // Data addresses are not permitted for scripts and styles.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    // Without a group the parts of the screens become a hundred small files, sixty of which the first screen loads.
    rolldownOptions: {
      output: {
        codeSplitting: {
          // A module that only stands in the way of a name, such as the steps beside `sourceText`, is left out.
          includeDependenciesRecursively: false,
          groups: [
            // The routes need that of each screen at the start: one file in place of twelve.
            { name: 'search', test: /\/dashboard\/src\/.*\/search\.ts$/ },
            { name: 'lists', minShareCount: 5, test: LISTS },
            { name: 'shared', minShareCount: 5, test: (id) => !DECISIONS.test(id) },
          ],
        },
      },
    },
  },
  server: {
    port: 4601,
    // Everything but the dashboard's own files is the API.
    proxy: { '^/(?!app/|@|node_modules/)': process.env.POSTRIDER_URL ?? 'http://127.0.0.1:4600' },
  },
})
