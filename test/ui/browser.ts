/** Chromium, driven by playwright-core. Its types need those of a browser, so the members that the tests use are declared here. */
import { createRequire } from 'node:module'
import { runtime } from '../runtimes/runtime.ts'

export interface Locator {
  click(): Promise<void>
  fill(text: string): Promise<void>
  check(): Promise<void>
  selectOption(value: string): Promise<unknown>
  waitFor(options?: { state?: 'visible' | 'hidden' }): Promise<void>
  textContent(): Promise<string | null>
  allTextContents(): Promise<string[]>
  count(): Promise<number>
  first(): Locator
}

interface Message {
  type(): string
  text(): string
}

export interface Route {
  fetch(): Promise<{ status(): number; text(): Promise<string> }>
  fulfill(options: { status: number; contentType: string; body: string }): Promise<void>
}

export interface Page {
  goto(url: string): Promise<unknown>
  reload(): Promise<unknown>
  url(): string
  on(event: 'console', listener: (message: Message) => void): void
  on(event: 'request', listener: (request: { url(): string }) => void): void
  on(event: 'pageerror', listener: (error: Error) => void): void
  on(event: 'dialog', listener: (dialog: { dismiss(): Promise<void> }) => void): void
  route(url: RegExp, handler: (route: Route) => Promise<void>): Promise<void>
  getByLabel(text: string, options?: { exact: boolean }): Locator
  getByRole(role: string, options?: { name: string; exact?: boolean }): Locator
  getByText(text: string | RegExp): Locator
  locator(selector: string): Locator
  evaluate<T>(expression: string): Promise<T>
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> }
  setViewportSize(size: { width: number; height: number }): Promise<void>
  emulateMedia(options: { colorScheme: 'light' | 'dark' }): Promise<void>
  close(): Promise<void>
}

export interface Browser {
  newPage(options: { viewport: { width: number; height: number }; colorScheme?: 'light' | 'dark' }): Promise<Page>
  close(): Promise<void>
}

export function openBrowser(): Promise<Browser> {
  const { chromium } = createRequire(import.meta.url)('playwright-core')
  return chromium.launch({ executablePath: runtime('chromium'), args: ['--no-sandbox'] })
}

/** A tab that records what a page must not do. */
export interface WatchedPage {
  readonly page: Page
  /** The messages of the console with the level `error` or `warning`, uncaught errors, dialogs, and requests to another origin. */
  readonly complaints: string[]
  /** The URLs of all requests. */
  readonly requests: string[]
}

export const DESKTOP = { width: 1280, height: 900 }

export const PHONE = { width: 390, height: 844 }

export const TABLET = { width: 768, height: 1024 }

/** Hardly wide enough for tables; below it, each row is a card. */
export const SMALL_DESKTOP = { width: 1026, height: 768 }

export async function openPage(browser: Browser, origin: string, viewport = DESKTOP): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport })
  const complaints: string[] = []
  const requests: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('dialog', (dialog) => {
    complaints.push('a dialog')
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    requests.push(request.url())
    if (new URL(request.url()).origin !== origin) complaints.push(`request to ${request.url()}`)
  })
  return { page, complaints, requests }
}

const LOADED =
  "document.querySelector('main h1:not([data-before])') !== null && document.querySelector('[aria-busy], .loading') === null"

/** Resolves when all parts of the shown view are loaded. The page's policy forbids `waitForFunction`, which evaluates text in the page. */
export async function loaded(page: Page): Promise<void> {
  while (!(await page.evaluate<boolean>(LOADED))) await new Promise((resolve) => setTimeout(resolve, 20))
}

export async function logIn(page: Page, url: string, token: string): Promise<void> {
  await page.goto(url)
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('button', { name: 'Log out' }).waitFor()
  await loaded(page)
}

/** Opens a view and waits for it. If the view is shown already, it is loaded again. */
export async function show(page: Page, url: string, view: string): Promise<void> {
  const address = `${url}#/${view}`
  await page.evaluate("document.querySelector('main h1').setAttribute('data-before', '')")
  if (page.url() === address) await page.getByRole('button', { name: 'Refresh' }).click()
  else await page.goto(address)
  await loaded(page)
}
