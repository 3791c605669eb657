/** Files that the service reads at run time: beside the modules of a bundle, or in the folders of a checkout. */
import { existsSync, readFileSync } from 'node:fs'

/** The bundle's, else the checkout's. */
function locate(bundled: string, source: string): URL {
  const url = new URL(bundled, import.meta.url)
  return existsSync(url) ? url : new URL(source, import.meta.url)
}

/** Numbered scripts of the schema. */
export const migrationsFolder = locate('./migrations/', '../src/database/migrations/')

/** Markdown files. */
export const guidesFolder = locate('./guides/', '../../docs/guides/')

/** Pictures of the dashboard; a bundle has those that guides show. */
export const dashboardPicturesFolder = locate('./dashboard-pictures/', '../../docs/dashboard/')

const grafanaFolder = locate('./grafana/', '../../deploy/grafana/')
const prometheusFolder = locate('./prometheus/', '../../deploy/prometheus/')

/** The dashboard for Grafana, as JSON. */
export const grafanaDashboard = () => readFileSync(new URL('postrider.json', grafanaFolder), 'utf8')

/** The alert rules for Prometheus, as YAML. */
export const alertRules = () => readFileSync(new URL('alerts.yml', prometheusFolder), 'utf8')

/** The built dashboard; a checkout has it once it was built. */
export const dashboardFolder = locate('./dashboard/', '../../dashboard/dist/')

/** The component of the reference page, compressed with gzip; only a bundle has it. */
export const referenceScript = new URL('./reference.js.gz', import.meta.url)

export const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
