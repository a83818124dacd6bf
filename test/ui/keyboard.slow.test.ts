/** The operator's page with the keyboard alone. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runtime, titleOf } from '../runtimes/runtime.ts'
import { type Browser, loaded, openBrowser, openPage, type Page, PHONE } from './browser.ts'
import { type OperatedServer, openOperatedServer } from './page-server.ts'

const focused = (page: Page): Promise<string> =>
  page.evaluate(
    "document.activeElement.getAttribute('aria-label') || document.activeElement.labels?.[0]?.textContent || document.activeElement.textContent",
  )

/** Presses Tab until the element with this name has the focus, and checks that each focus on the way is visible. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 200; presses++) {
    await page.keyboard.press('Tab')
    const visible = await page.evaluate(
      "document.activeElement === document.body || getComputedStyle(document.activeElement).outlineStyle !== 'none'",
    )
    expect(visible, `the focus is visible on ${await focused(page)}`).toBe(true)
    if ((await focused(page)) === name) return
  }
  throw new Error(`${name} cannot be reached with Tab`)
}

describe.skipIf(!runtime('chromium'))(titleOf('chromium'), () => {
  let browser: Browser
  let server: OperatedServer
  beforeAll(async () => {
    ;[browser, server] = await Promise.all([openBrowser(), openOperatedServer()])
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  it('reaches and uses every view with the keyboard', async () => {
    const { page, complaints } = await openPage(browser, new URL(server.url).origin)
    await page.goto(server.url)
    await page.getByLabel('Token').waitFor()
    await page.keyboard.type(server.token)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Log out' }).waitFor()
    expect(await focused(page)).toBe('Status')
    for (const [view, title] of [
      ['Mounts', 'Mounts'],
      ['Keys', 'Keys'],
      ['Leases', 'Leases'],
      ['Work', 'Background work'],
      ['Replication', 'Replication'],
      ['Caches', 'Caches'],
      ['Audit', 'Audit'],
      ['Policies', 'Policies'],
    ] as const) {
      await loaded(page)
      await page.evaluate("document.getElementById('skip').focus()")
      await tabTo(page, view)
      await page.keyboard.press('Enter')
      await loaded(page)
      expect(await focused(page)).toBe(title)
    }
    await tabTo(page, 'Path')
    await page.keyboard.type('secret/orders/1')
    await page.keyboard.press('Enter')
    await page.getByText('root may do everything').waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  it('turns the pages of a table with the keyboard', async () => {
    const { page } = await openPage(browser, new URL(server.url).origin)
    await page.goto(`${server.url}#/keys`)
    await page.getByLabel('Token').waitFor()
    await page.keyboard.type(server.token)
    await page.keyboard.press('Enter')
    await page.getByText('tenant-000').waitFor()
    await tabTo(page, 'Next page')
    await page.keyboard.press('Enter')
    await page.getByText('tenant-119').waitFor()
    expect(await focused(page)).toBe('Previous page')
    await page.close()
  })

  it('moves the focus past the navigation with the skip link', async () => {
    const { page } = await openPage(browser, new URL(server.url).origin)
    await page.goto(server.url)
    await page.getByLabel('Token').waitFor()
    await page.keyboard.type(server.token)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Log out' }).waitFor()
    await page.evaluate("document.getElementById('skip').focus()")
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('Refresh')
    await page.close()
  })

  it('opens and closes the list of views of a phone with the keyboard', async () => {
    const { page } = await openPage(browser, new URL(server.url).origin, PHONE)
    await page.goto(server.url)
    await page.getByLabel('Token').waitFor()
    await page.keyboard.type(server.token)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Views' }).waitFor()
    await page.evaluate("document.getElementById('skip').focus()")
    await tabTo(page, 'Views')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Caches' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Caches' }).waitFor({ state: 'hidden' })
    expect(await focused(page)).toBe('Views')
    await page.close()
  })
})
