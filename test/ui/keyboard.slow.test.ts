/** The operator's page with the keyboard alone. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runtime, titleOf } from '../runtimes/runtime.ts'
import { type Browser, loaded, openBrowser, openPage, type Page, PHONE } from './browser.ts'
import { type OperatedServer, openOperatedServer } from './page-server.ts'

const focused = (page: Page): Promise<string> =>
  page.evaluate(
    "document.activeElement.getAttribute('aria-label') || document.activeElement.labels?.[0]?.textContent || document.activeElement.textContent",
  )

/** Waits until the element with this name has the focus. The page moves the focus after it has shown a part of a view. */
const waitForFocus = (page: Page, name: string): Promise<void> =>
  expect.poll(() => focused(page), { timeout: 10_000, message: 'the element with the focus' }).toBe(name)

const HEADING = "document.activeElement.tagName === 'H1' ? document.activeElement.textContent : ''"

/** Waits until a view is shown whose title has the focus. A link may have the same name as the title. */
async function waitForView(page: Page, title: string): Promise<void> {
  await expect.poll(() => page.evaluate(HEADING), { timeout: 10_000, message: 'the title with the focus' }).toBe(title)
  await loaded(page)
}

/** Logs in by the form, whose first field has the focus when the page is shown. */
async function typeToken(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.tagName'), { timeout: 10_000 }).toBe('INPUT')
  await page.keyboard.type(token)
  await page.keyboard.press('Enter')
}

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
    await typeToken(page, server.token)
    await page.getByRole('button', { name: 'Log out' }).waitFor()
    await waitForView(page, 'Status')
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
      await page.evaluate("document.getElementById('skip').focus()")
      await tabTo(page, view)
      await page.keyboard.press('Enter')
      await waitForView(page, title)
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
    await typeToken(page, server.token)
    await waitForView(page, 'Keys')
    await page.getByText('tenant-000').waitFor()
    await tabTo(page, 'Next page')
    await page.keyboard.press('Enter')
    await page.getByText('tenant-119').waitFor()
    await waitForFocus(page, 'Previous page')
    await page.close()
  })

  it('moves the focus past the navigation with the skip link', async () => {
    const { page } = await openPage(browser, new URL(server.url).origin)
    await page.goto(server.url)
    await typeToken(page, server.token)
    await waitForView(page, 'Status')
    await page.evaluate("document.getElementById('skip').focus()")
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await waitForFocus(page, 'Refresh')
    await page.close()
  })

  it('opens and closes the list of views of a phone with the keyboard', async () => {
    const { page } = await openPage(browser, new URL(server.url).origin, PHONE)
    await page.goto(server.url)
    await typeToken(page, server.token)
    await waitForView(page, 'Status')
    await page.evaluate("document.getElementById('skip').focus()")
    await tabTo(page, 'Views')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Caches' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Caches' }).waitFor({ state: 'hidden' })
    await waitForFocus(page, 'Views')
    await page.close()
  })
})
