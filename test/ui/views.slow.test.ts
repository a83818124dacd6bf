/** Every view of the operator's page in Chromium. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runtime, titleOf } from '../runtimes/runtime.ts'
import { seriousViolations } from './accessibility.ts'
import {
  type Browser,
  DESKTOP,
  loaded,
  logIn,
  openBrowser,
  openPage,
  PHONE,
  SMALL_DESKTOP,
  show,
  TABLET,
  type WatchedPage,
} from './browser.ts'
import { HOSTILE, type OperatedServer, openOperatedServer } from './page-server.ts'

/** Each view with a text that it shows when it has its data. */
const VIEWS: readonly (readonly [view: string, title: string, text: string | RegExp])[] = [
  ['status', 'Status', 'cluster-'],
  ['mounts', 'Mounts', 'billing/'],
  ['keys', 'Keys', 'tenant-007'],
  ['key/transit%2F/orders', 'Key orders', '30 d'],
  ['leases', 'Leases', 'database/creds/reports/'],
  ['leases/database%2Fcreds%2Freports%2F', 'Leases', 'All leases'],
  ['work', 'Background work', 'ERR_UPSTREAM'],
  ['replication', 'Replication', 'frankfurt'],
  ['caches', 'Caches', 'Estimated memory'],
  ['audit', 'Audit', 'sys/capabilities-self'],
  ['policies', 'Policies', 'default'],
  ['policy/orders', 'Policy orders', 'secret/orders/*'],
]

/** Texts that the page compares with its own. */
const KNOWN = new Set(['transit', 'primary', 'X-Vault', 'status', 'leases', 'audit', 'live', 'root'])

/** Appends the hostile text to every text of a response that is neither a time nor a text that the page compares. */
function poisoned(value: unknown): unknown {
  if (typeof value === 'string') return KNOWN.has(value) || !Number.isNaN(Date.parse(value)) ? value : value + HOSTILE
  if (Array.isArray(value)) return value.map(poisoned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, poisoned(member)]))
}

describe.skipIf(!runtime('chromium'))(titleOf('chromium'), () => {
  let browser: Browser
  let server: OperatedServer
  let watched: WatchedPage
  beforeAll(async () => {
    ;[browser, server] = await Promise.all([openBrowser(), openOperatedServer()])
    watched = await openPage(browser, new URL(server.url).origin)
    await logIn(watched.page, server.url, server.token)
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })
  beforeEach(async () => {
    await watched.page.setViewportSize(DESKTOP)
    await watched.page.emulateMedia({ colorScheme: 'light' })
  })

  it.each(VIEWS)('shows the data of the view %s', async (view, title, text) => {
    const { page } = watched
    await show(page, server.url, view)
    expect(await page.locator('h1').textContent()).toBe(title)
    expect(await page.locator('main').textContent()).toContain(text)
    expect(await page.locator('.notice.warn, .notice.bad').allTextContents()).toEqual([])
  })

  it.each(VIEWS)('has no serious violation of accessibility in the view %s, in light and in dark', async (view) => {
    const { page } = watched
    await show(page, server.url, view)
    expect(await seriousViolations(page)).toEqual([])
  })

  it.each(VIEWS)('fits the widths of phones, tablets and desktops in the view %s', async (view) => {
    const { page } = watched
    for (const size of [PHONE, TABLET, SMALL_DESKTOP, DESKTOP]) {
      await page.setViewportSize(size)
      await show(page, server.url, view)
      const outside = await page.evaluate(
        "[...document.querySelectorAll('body *')].filter((one) => !one.closest('.hidden-text, thead, pre, [hidden]') && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 120))",
      )
      expect(outside).toEqual([])
      const tooWide = await page.evaluate(
        "[...document.querySelectorAll('section table')].filter((one) => one.getBoundingClientRect().right > one.closest('section').getBoundingClientRect().right).length",
      )
      expect(tooWide).toBe(0)
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    }
  })

  it('shows stored names and texts that contain scripts as text', async () => {
    const { page } = watched
    const lower = HOSTILE.toLowerCase().replaceAll('/', '')
    const shown: readonly (readonly [string, string])[] = [
      ['mounts', HOSTILE],
      ['policies', lower],
      [`policy/${encodeURIComponent(lower)}`, HOSTILE],
      ['replication', HOSTILE.replaceAll('/', '')],
      ['audit', HOSTILE],
    ]
    for (const [view, text] of shown) {
      await show(page, server.url, view)
      expect(await page.locator('main').textContent()).toContain(text)
      expect(await page.locator('main img, main script').count()).toBe(0)
    }
    expect(await page.locator('select[name=namespace] option').allTextContents()).toContain('<img-src=x-onerror=alert()>/')
    expect(await page.evaluate('window.attacked')).toBeUndefined()
  })

  it('runs no script and creates no element from any text in a response', async () => {
    const own = await openPage(browser, new URL(server.url).origin)
    await logIn(own.page, server.url, server.token)
    await own.page.route(/\/(v1\/.*|ui\/\w+\.json.*)$/, async (route) => {
      const response = await route.fetch()
      const body = JSON.stringify(poisoned(JSON.parse((await response.text()) || '{}')))
      await route.fulfill({ status: response.status(), contentType: 'application/json', body })
    })
    for (const [view] of VIEWS) {
      await show(own.page, server.url, view)
      // Caches have only numbers.
      if (view !== 'caches') expect(await own.page.locator('main').textContent()).toContain('onerror=')
      expect(await own.page.locator('main img, main script').count()).toBe(0)
    }
    expect(await own.page.evaluate('window.attacked')).toBeUndefined()
    expect(own.complaints.filter((complaint) => !complaint.includes('Failed to load resource'))).toEqual([])
    await own.page.close()
  })

  it('shows the keys in pages of 100', async () => {
    const { page, requests } = watched
    await show(page, server.url, 'keys')
    expect(await page.locator('tbody tr').count()).toBe(100)
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('tenant-119').waitFor()
    await loaded(page)
    expect(await page.locator('tbody tr').count()).toBe(22)
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Previous page')
    const lists = requests.filter((url) => url.includes('/transit/keys?')).map((url) => new URL(url).searchParams.get('limit'))
    expect(lists.every((limit) => limit === '101')).toBe(true)
    await page.getByRole('button', { name: 'Previous page' }).click()
    await page.getByText('signatures').waitFor()
  })

  it('shows 100,000 names that the API returns at once in pages of 100', async () => {
    const own = await openPage(browser, new URL(server.url).origin)
    const keys = Array.from({ length: 100_000 }, (_, number) => `policy-${number}`)
    await own.page.route(/\/v1\/sys\/policies\/acl\?list=true$/, (route) =>
      route.fulfill({ status: 200, contentType: 'application/json', body: JSON.stringify({ data: { keys } }) }),
    )
    await logIn(own.page, server.url, server.token)
    await show(own.page, server.url, 'policies')
    expect(await own.page.locator('tbody tr').count()).toBe(100)
    expect(await own.page.locator('.position').textContent()).toBe('1 to 100 of 100,000')
    await own.page.getByLabel('Filter Policies').fill('policy-99999')
    await own.page.getByText('1 to 1 of 1').first().waitFor({ state: 'hidden' })
    expect(await own.page.locator('tbody tr').count()).toBe(1)
    await own.page.close()
  })

  it('explains which rule decides', async () => {
    const { page } = watched
    const { client_token: other } = await server.kernel.tokens.createToken({ policies: ['orders'], ttl: 3600 })
    await show(page, server.url, 'policies')
    await page.getByLabel('Path', { exact: true }).fill('secret/orders/7')
    await page.getByLabel('Token').fill(other)
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('read is allowed').waitFor()
    expect(await page.locator('.answer').textContent()).toContain('secret/orders/*')
    await page.getByLabel('Operation').selectOption('delete')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('delete is refused').waitFor()
  })

  it('shows everything to a token with the policy in docs/operator-page.md', async () => {
    const text = readFileSync(join(import.meta.dirname, '../../docs/operator-page.md'), 'utf8')
    const [, policy = ''] = /```hcl\n(.*?)```/s.exec(text) ?? []
    await server.kernel.policies.writePolicy({ name: 'operator', policy })
    const { client_token: token } = await server.kernel.tokens.createToken({ policies: ['default', 'operator'], ttl: 3600 })
    const own = await openPage(browser, new URL(server.url).origin)
    await logIn(own.page, server.url, token)
    for (const [view, , text] of VIEWS) {
      await show(own.page, server.url, view)
      // The policy reaches only one mount with keys.
      expect(await own.page.locator('main').textContent()).toContain(view === 'mounts' ? 'transit/' : text)
      expect(await own.page.locator('.notice.warn, .notice.bad').allTextContents()).toEqual([])
    }
    expect(own.complaints).toEqual([])
    await own.page.close()
  })

  it('shows the mounts of the chosen namespace', async () => {
    const { page } = watched
    await show(page, server.url, 'mounts')
    await page.getByLabel('Namespace').selectOption('team-a/')
    await page.getByText('billing/').waitFor({ state: 'hidden' })
    await loaded(page)
    expect(await page.locator('main').textContent()).toContain('cubbyhole/')
    await page.getByLabel('Namespace').selectOption('')
    await page.getByText('billing/').waitFor()
  })

  it('has caused no console error, no dialog and no request to another origin', () => {
    expect(watched.complaints).toEqual([])
  })

  it('has sent the token in no URL', () => {
    expect(watched.requests.filter((url) => url.includes(server.token))).toEqual([])
  })
})
