/** Runs a page in a real browser without a driver: a local server delivers the page and receives its report. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'

/** Path to which a page or worker posts its report. */
export const REPORT = '/report'

const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
]

/** Only a hanging browser takes that long. */
const MAX_WAIT_MS = 300_000

const FAILED = 'failed: '

const TELL = `const tell = (text) => fetch('${REPORT}', { method: 'POST', body: text })
addEventListener('error', (event) => tell('${FAILED}' + event.message))
addEventListener('unhandledrejection', (event) => tell('${FAILED}' + event.reason))`

const START = {
  page: (file: string) => `<script type="module" src="${file}"></script>`,
  worker: (file: string) =>
    `<script>new Worker('${file}', { type: 'module' }).onerror = (event) => tell('${FAILED}' + event.message)</script>`,
}

/** Opens a page that runs the module directly or as a worker. Resolves with its report and rejects with its error. */
export async function report(browser: string, where: keyof typeof START, file: string): Promise<string> {
  const profile = mkdtempSync(join(tmpdir(), 'strongroom-browser-'))
  const script = `/${basename(file)}`
  const page = `<!doctype html><script>${TELL}</script>${START[where](script)}`
  let report!: (text: string) => void
  const reported = new Promise<string>((resolve) => {
    report = resolve
  })
  const server = createServer(async (request, response) => {
    if (request.url === '/') response.setHeader('Content-Type', 'text/html').end(page)
    else if (request.url === script) response.setHeader('Content-Type', 'text/javascript').end(readFileSync(file))
    else if (request.url === REPORT) {
      report(await text(request))
      response.end()
    } else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const child = spawn(browser, [...FLAGS, `--user-data-dir=${profile}`, address], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk
  })
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const failed = new Promise<never>((_, reject) => {
    child.on('error', reject)
    child.on('close', () => reject(new Error(`the browser ended before the page reported: ${errors}`)))
    setTimeout(() => reject(new Error(`the page reported nothing: ${errors}`)), MAX_WAIT_MS).unref()
  })
  try {
    const first = await Promise.race([reported, failed])
    if (first.startsWith(FAILED)) throw new Error(first)
    return first
  } finally {
    if (child.pid !== undefined) {
      // A browser consists of many processes in one process group.
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL')
      await closed
    }
    server.closeAllConnections()
    server.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}
