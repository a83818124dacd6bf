/** Shows the progress of long work on standard error: a bar on a terminal, a line every few seconds elsewhere. */
import type { ProgressResult } from '@clack/prompts'
import { isInteractive, type Terminal } from './terminal.ts'

export interface ProgressDisplay {
  /** @param fraction The finished part of the work, 0 to 1; undefined if the whole is unknown. */
  report(text: string, fraction?: number): void
  /** Ends the display, before the result is written. */
  stop(text: string): void
}

const LINE_INTERVAL_MS = 2_000
const BAR_STEPS = 100

const SILENT: ProgressDisplay = { report() {}, stop() {} }

export async function progressDisplay(terminal: Terminal, title: string, isSilent: boolean): Promise<ProgressDisplay> {
  if (isSilent) return SILENT
  return isInteractive(terminal) ? progressBar(terminal, title) : progressLines(terminal, title)
}

async function progressBar(terminal: Terminal, title: string): Promise<ProgressDisplay> {
  const { progress } = await import('@clack/prompts')
  const bar = progress({ max: BAR_STEPS, output: terminal.stderr })
  bar.start(title)
  releaseKeys(terminal)
  let steps = 0
  return {
    report(text, fraction = 0) {
      const reached = Math.floor(fraction * BAR_STEPS)
      bar.advance(Math.max(0, reached - steps), `${title}: ${text}`)
      steps = Math.max(steps, reached)
    },
    stop: (text) => stopBar(bar, `${title}: ${text}`),
  }
}

/** The bar's handlers end the process with code 0 at Ctrl-C. Without them, the terminal sends SIGINT, which every command handles. */
function releaseKeys({ stdin }: Terminal): void {
  stdin.removeAllListeners('keypress')
  if ('setRawMode' in stdin && typeof stdin.setRawMode === 'function') stdin.setRawMode(false)
}

function stopBar(bar: ProgressResult, text: string): void {
  if (!bar.isCancelled) bar.stop(text)
}

function progressLines({ stderr }: Terminal, title: string): ProgressDisplay {
  let last = performance.now()
  const line = (text: string): void => void stderr.write(`${title}: ${text}\n`)
  return {
    report(text, fraction) {
      if (performance.now() - last < LINE_INTERVAL_MS) return
      last = performance.now()
      line(fraction === undefined ? text : `${Math.floor(fraction * 100)} %, ${text}`)
    },
    stop: line,
  }
}
