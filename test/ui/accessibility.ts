/** Checks a page with axe-core. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { DESKTOP, type Page, PHONE } from './browser.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

/** The serious and critical violations of the shown page on a desktop and on a phone, in light and in dark. */
export async function seriousViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(`${AXE}; undefined`)
  const serious: string[] = []
  for (const size of [DESKTOP, PHONE])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(size)
      await page.emulateMedia({ colorScheme })
      const found = await page.evaluate<readonly Violation[]>('axe.run().then(({ violations }) => violations)')
      for (const { id, impact, nodes } of found)
        if (impact === 'serious' || impact === 'critical') serious.push(`${id} in ${colorScheme}: ${nodes[0]?.html}`)
    }
  return serious
}
