// Opens a page in Chromium and records what the page and its workers do. Chromium is controlled through a pipe with the DevTools protocol.
import { spawn } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
  '--remote-debugging-pipe',
]
const MAX_WAIT_MS = 60_000

/** The program: the variable `CHROMIUM`, or the first usual name in the search path. */
export function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM
  const folders = (process.env.PATH ?? '').split(delimiter)
  return ['chromium', 'chromium-browser', 'google-chrome']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

/**
 * Opens `url` and waits until the page has written a line with `console.log`.
 *
 * @returns {Promise<{ line: string, requests: string[], errors: string[] }>} the line, the URLs of all requests, and the errors of the console:
 *   uncaught exceptions, failed requests, violations of the content security policy, and calls of `console.error` and `console.warn`.
 */
export async function openPage(chromium, url) {
  const profile = mkdtempSync(join(tmpdir(), 'strongroom-page-'))
  const child = spawn(chromium, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const closed = new Promise((resolve) => child.once('close', resolve))
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log += text
  })
  const requests = []
  const errors = []
  const timer = new AbortController()
  try {
    const line = await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', () => reject(new Error(`Chromium ended before the page was ready: ${log}`)))
      const late = setTimeout(() => reject(new Error(`the page wrote nothing. ${errors.join('; ')} ${log}`)), MAX_WAIT_MS)
      timer.signal.addEventListener('abort', () => clearTimeout(late))

      let sent = 0
      const send = (method, params, sessionId) => {
        child.stdio[3].write(`${JSON.stringify({ id: ++sent, method, params, sessionId })}\0`)
        return sent
      }
      // Chromium's own pages are other targets, so only the new page is recorded, and each worker of it before the worker starts.
      const record = (sessionId) => {
        for (const domain of ['Runtime', 'Log', 'Network']) send(`${domain}.enable`, {}, sessionId)
        send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }, sessionId)
      }
      const onEvent = {
        'Target.attachedToTarget'({ sessionId, targetInfo }) {
          record(sessionId)
          if (targetInfo.type === 'page') send('Page.navigate', { url }, sessionId)
          else send('Runtime.runIfWaitingForDebugger', {}, sessionId)
        },
        'Network.requestWillBeSent': ({ request }) => requests.push(request.url),
        'Runtime.exceptionThrown': ({ exceptionDetails: { text, exception } }) =>
          errors.push(`${text} ${exception?.description ?? ''}`),
        'Log.entryAdded': ({ entry }) => entry.level !== 'verbose' && errors.push(`${entry.text} ${entry.url ?? ''}`),
        'Runtime.consoleAPICalled'({ type, args }) {
          const text = args.map(({ value, description }) => value ?? description).join(' ')
          if (type === 'log') resolve(text)
          else errors.push(text)
        },
      }
      let rest = ''
      child.stdio[4].setEncoding('utf8').on('data', (text) => {
        const messages = (rest + text).split('\0')
        rest = messages.pop()
        for (const { id, method, params, result, error } of messages.map((message) => JSON.parse(message))) {
          if (error) reject(new Error(`the DevTools protocol of Chromium: ${error.message}`))
          if (method) onEvent[method]?.(params)
          else if (id === created) send('Target.attachToTarget', { targetId: result.targetId, flatten: true })
        }
      })
      const created = send('Target.createTarget', { url: 'about:blank' })
    })
    return { line, requests, errors }
  } finally {
    timer.abort()
    // Chromium consists of many processes in one process group.
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL')
    if (child.pid !== undefined) await closed
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}
