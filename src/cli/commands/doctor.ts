import type { Kernel } from '../../kernel.ts'
import { alignColumns } from '../align-columns.ts'
import { command } from '../command.ts'
import { CommandError, shownError, usageError } from '../command-error.ts'
import type { CommandSession } from '../command-session.ts'
import { type Finding, finding } from '../finding.ts'
import { runConformance } from '../run-conformance.ts'

export const doctor = command({
  name: 'doctor',
  summary: 'Check storage, seal, clock, versions, due work and failed work',
  details: `Exits with 1 if a check failed; a warning is no failure. --conformance runs the conformance suite of strongroom/testing on fresh stores,
which the config must export as conformance.`,
  options: { conformance: { kind: 'flag', summary: 'Run the conformance suite of storages on fresh stores of the config' } },
  example: 'doctor',
  async run({ options, session }) {
    const findings = [...(await checkStore(session)), checkNode()]
    if (options.conformance) {
      const { conformance } = await session.config()
      if (!conformance) throw usageError('--conformance: the config must export conformance, with the function open')
      findings.push(...(await runConformance(conformance, session.signal)))
    }
    const isFailed = findings.some(({ result }) => result === 'failed')
    const text = alignColumns(findings.map(({ check, result, message }) => [result, check, message]))
    return { data: { ok: !isFailed, findings }, text: text.join('\n'), reason: isFailed ? 'failed' : 'ok' }
  },
})

async function checkStore(session: CommandSession): Promise<readonly Finding[]> {
  let kernel: Kernel
  try {
    kernel = await session.openKernel()
    // Without key shares, the store stays sealed, and the other checks still run.
    if (kernel.seal.state === 'sealed' && session.globals['shares-file'] !== undefined) await session.kernel()
  } catch (error) {
    if (error instanceof CommandError && error.reason === 'config') throw error
    return [finding('store', 'failed', shownError(error, false).message)]
  }
  const { storage, due, failed } = await kernel.status()
  return [
    storage.available
      ? finding('storage', 'ok', storage.durable ? 'answers, and keeps commits after a crash' : 'answers; it is not durable')
      : finding('storage', 'failed', 'does not answer'),
    ...(storage.risk === undefined ? [] : [finding('storage risk', 'warning', storage.risk)]),
    await checkSeal(kernel),
    await checkClock(kernel, session),
    checkDue(due),
    failed.length === 0
      ? finding('failed work', 'ok', 'none')
      : finding('failed work', 'failed', failed.map(({ lane, id, code }) => `${lane} ${id}: ${code}`).join('; ')),
  ]
}

async function checkSeal(kernel: Kernel): Promise<Finding> {
  const { type, n, t } = await kernel.seal.status()
  const shares = n === 0 ? 'no shares' : `${t} of ${n} shares`
  const { state } = kernel.seal
  return finding('seal', state === 'open' ? 'ok' : 'warning', `${type}, ${shares}, ${state}`)
}

/** Compares the clock with the time at which the active barrier key was installed, by whichever process did that. */
async function checkClock(kernel: Kernel, session: CommandSession): Promise<Finding> {
  const { clock } = (await session.config()).options
  const now = clock?.now() ?? Date.now()
  const shown = new Date(now).toISOString()
  if (clock && Math.abs(now - Date.now()) > MAX_CLOCK_SKEW_MS)
    return finding('clock', 'warning', `${shown}: the clock of the config differs from the clock of this machine`)
  if (kernel.seal.state !== 'open') return finding('clock', 'ok', shown)
  const { install_time } = await kernel.seal.readKeyStatus()
  return Date.parse(install_time) > now + MAX_CLOCK_SKEW_MS
    ? finding('clock', 'failed', `${shown}: the store was written at ${install_time}, which is in the future`)
    : finding('clock', 'ok', shown)
}

const MAX_CLOCK_SKEW_MS = 5_000
/** Work that is due for longer shows that no process does it. */
const MAX_DELAY_MS = 300_000

function checkDue(lanes: readonly { readonly lane: string; readonly due: number; readonly next_due_at?: string }[]): Finding {
  const waiting = lanes.filter(({ due }) => due > 0)
  const late = waiting.filter(({ next_due_at = '' }) => Date.parse(next_due_at) < Date.now() - MAX_DELAY_MS)
  if (waiting.length === 0) return finding('due work', 'ok', 'none')
  const shown = waiting.map(({ lane, due, next_due_at }) => `${lane}: ${due}, the first at ${next_due_at}`).join('; ')
  return late.length === 0
    ? finding('due work', 'ok', shown)
    : finding('due work', 'warning', `${shown}; does a process call kernel.start()?`)
}

const MIN_NODE = [20, 19] as const

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isSupported = major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])
  return finding('versions', isSupported ? 'ok' : 'failed', `Node ${process.versions.node}`)
}
