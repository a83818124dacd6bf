/** The login of the operator's page in Chromium, and what the page shows if a request is refused. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, createKernel, type Kernel, keySeal, memoryStorage, shamirSeal } from '../../src/index.ts'
import { runtime, titleOf } from '../runtimes/runtime.ts'
import { seriousViolations } from './accessibility.ts'
import { type Browser, loaded, logIn, openBrowser, openPage, type Page, show } from './browser.ts'
import { NAMING, type PageServer, servePage } from './page-server.ts'

describe.skipIf(!runtime('chromium'))(titleOf('chromium'), () => {
  let browser: Browser
  let kernel: Kernel
  let server: PageServer
  let page: Page
  const pages: Page[] = []
  const open = async (url: string): Promise<Page> => {
    const opened = await openPage(browser, new URL(url).origin)
    pages.push(opened.page)
    page = opened.page
    return page
  }
  const submit = async (token: string, namespace = ''): Promise<void> => {
    await page.getByLabel('Token').fill(token)
    await page.getByLabel('Namespace').fill(namespace)
    await page.getByRole('button', { name: 'Log in' }).click()
  }
  beforeAll(async () => {
    ;[browser, kernel] = await Promise.all([openBrowser(), createDevKernel({ naming: NAMING })])
    server = await servePage(kernel)
  })
  afterEach(async () => {
    for (const one of pages.splice(0)) await one.close()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
    await kernel?.close()
  })
  const createToken = async (policies: readonly string[]): Promise<string> =>
    (await kernel.tokens.createToken({ policies, ttl: 3600 })).client_token

  it('has no serious violation of accessibility in the login, in light and in dark', async () => {
    await open(server.url)
    await page.goto(server.url)
    await page.getByLabel('Token').waitFor()
    expect(await seriousViolations(page)).toEqual([])
  })

  it('refuses a wrong token with a plain message', async () => {
    await open(server.url)
    await page.goto(server.url)
    await submit('s.wrong')
    await page.getByText('The server does not accept this token. It is wrong, has expired or was revoked.').waitFor()
    expect(await page.getByRole('button', { name: 'Log out' }).count()).toBe(0)
  })

  it('refuses an unknown namespace with a plain message', async () => {
    await open(server.url)
    await page.goto(server.url)
    await submit(kernel.rootToken as string, 'nowhere')
    await page.getByText('There is no such namespace.').waitFor()
  })

  it('logs out with a message when the token has become invalid', async () => {
    await open(server.url)
    const token = await createToken(['default'])
    await logIn(page, server.url, token)
    await kernel.tokens.revokeToken({ token })
    await page.getByRole('link', { name: 'Mounts' }).click()
    await page.getByText('Your token is no longer valid. It has expired or was revoked.').waitFor()
    expect(await page.locator('nav').textContent()).toBe('')
  })

  it('shows what a token may not read, and everything else', async () => {
    await open(server.url)
    await logIn(page, server.url, await createToken(['default']))
    expect(await page.locator('main').textContent()).toContain('Your token may not read this: this needs read on sys/status.')
    expect(await page.locator('main').textContent()).toContain('unsealed')
    await show(page, server.url, 'audit')
    expect(await page.locator('main').textContent()).toContain('The last entries: not offered by this server.')
    expect(await page.getByRole('button', { name: 'Log out' }).count()).toBe(1)
  })

  it('forgets the token when the page is loaded again', async () => {
    await open(server.url)
    await logIn(page, server.url, kernel.rootToken as string)
    expect(await page.evaluate('JSON.stringify([sessionStorage, localStorage, document.cookie])')).toBe('[{},{},""]')
    await page.reload()
    await page.getByLabel('Token').waitFor()
  })

  it('keeps the token in the tab if the visitor chose that, until the visitor logs out', async () => {
    await open(server.url)
    await page.goto(server.url)
    await page.getByLabel('Keep me logged in until this tab is closed').check()
    await submit(kernel.rootToken as string)
    await page.getByRole('button', { name: 'Log out' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Log out' }).waitFor()
    await loaded(page)
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByText('You are logged out.').waitFor()
    expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0)
    await page.reload()
    await page.getByLabel('Token').waitFor()
  })

  it('logs in to a namespace with a token of that namespace', async () => {
    await kernel.namespaces.createNamespace({ name: 'team-b' })
    const { client_token: token } = await kernel.namespace('team-b').tokens.createToken({ policies: ['default'], ttl: 3600 })
    await open(server.url)
    await page.goto(server.url)
    await submit(token, 'team-b')
    await page.getByRole('button', { name: 'Log out' }).waitFor()
    await show(page, server.url, 'mounts')
    expect(await page.locator('main').textContent()).toContain('cubbyhole/')
  })

  it('reports that the server is sealed', async () => {
    const sealed = await createKernel({ storage: memoryStorage(), seal: shamirSeal(), naming: NAMING })
    const shares = await sealed.seal.initialize({ secret_shares: 1, secret_threshold: 1 })
    const own = await servePage(sealed)
    await open(own.url)
    await page.goto(own.url)
    await page.getByText('sealed').first().waitFor()
    await submit(shares.root_token)
    await page.getByText('The server is sealed. It answers no other request until it is unsealed.').waitFor()
    await own.close()
    await sealed.close()
  })

  it('reports that the server has no data yet', async () => {
    const empty = await createKernel({ storage: memoryStorage(), seal: keySeal(new Uint8Array(32).fill(1)), naming: NAMING })
    const own = await servePage(empty)
    await open(own.url)
    await page.goto(own.url)
    await submit('s.anything')
    await page.getByText('The server is not initialized. It has no data and no tokens yet.').waitFor()
    await own.close()
    await empty.close()
  })

  it('reports that the server has stopped', async () => {
    const own = await servePage(kernel)
    await open(own.url)
    await logIn(page, own.url, kernel.rootToken as string)
    await own.close()
    await page.getByRole('link', { name: 'Mounts' }).click()
    await page.getByText('The server does not answer.').first().waitFor()
  })
})
