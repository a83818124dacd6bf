/**
 * The log is kept within its bounds.
 */
import { LOG, logEntryKey } from '../../../core/log/frame.ts'
import type { Fence } from '../../../core/transaction/place.ts'
import { checksOf } from '../../../core/transaction/writes.ts'
import { DR, PERFORMANCE } from '../state/kind.ts'
import type { Folded, Sheet } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import { type LoggedFrame, newestEntry, oldestBefore, PAGE, readLog } from './log-pages.ts'

export interface LogBounds {
  readonly maxBytes: number
  /** Milliseconds. */
  readonly maxAgeMs: number
}

/** Entries removed by one commit. */
const PER_COMMIT = 100

/** Roots at earlier positions are kept as long as anybody may compare them. */
const CHECKPOINTS_KEPT = 64

/** Cuts the log down to its bounds, behind the trees of both kinds. A conflict ends it. */
export async function cutLog(host: SetHost, bounds: LogBounds, fence: Fence): Promise<void> {
  const { store, clock } = host
  for (;;) {
    const folds = await foldsOf(host)
    // Of two that began at different times the older one counts what is cut.
    const [eldest] = [...folds].sort((a, b) => a.folded.first - b.folded.first)
    if (eldest && (await oldestBefore(store)) < eldest.folded.first) {
      if (!(await countAll(host, eldest, fence))) return
      continue
    }
    const frames = eldest && (await readLog(store, eldest.folded.first))
    if (!eldest || !frames) return
    const newest = await newestEntry(store)
    const oldest = clock.now() - bounds.maxAgeMs
    const last = Math.min(newest, ...folds.map(({ folded }) => folded.entry))
    const unwanted = Math.max(...folds.map(({ folded }) => folded.cut ?? 0))
    let { first, bytes } = eldest.folded
    const cut: LoggedFrame[] = []
    for (const frame of frames) {
      const isKept = bytes <= bounds.maxBytes && frame.at >= oldest && frame.entry > unwanted
      if (isKept || frame.entry >= last || frame.entry - eldest.folded.first > PER_COMMIT) break
      first = frame.entry
      bytes -= frame.bytes
      cut.push(frame)
    }
    if (cut.length === 0) return dropCheckpoints(host, fence)
    const gone = Array.from({ length: first - eldest.folded.first }, (_, at) => logEntryKey(eldest.folded.first + 1 + at))
    const { ok } = await store.commit([
      ...gone.map((key) => ({ op: 'del', key }) as const),
      ...folds.map(({ sheet, folded, version }) => sheet.put(store, withoutCut(folded, cut), version)),
      ...checksOf([fence]),
    ])
    if (!ok) return
    await clock.sleep(0)
  }
}

/** Entries from before the cluster was in this set are counted with it: whoever counted them may have left the other one. False after a conflict. */
async function countAll({ store, clock }: SetHost, { sheet, folded, version }: Fold, fence: Fence): Promise<boolean> {
  const before = await oldestBefore(store)
  let { bytes } = folded
  for (let at = before; at < folded.first; await clock.sleep(0)) {
    const found = await store.page(`${LOG}/`, { after: logEntryKey(at), limit: Math.min(PAGE, folded.first - at) })
    if (found.length === 0) break
    at += found.length
    for (const { value } of found) bytes += value.length
  }
  const { ok } = await store.commit([sheet.put(store, { ...folded, first: before, bytes }, version), ...checksOf([fence])])
  return ok
}

async function dropCheckpoints({ store, kind }: SetHost, fence: Fence): Promise<void> {
  const names = await store.list(kind.checkpoints, { limit: CHECKPOINTS_KEPT + PER_COMMIT })
  const gone = names.slice(0, Math.max(0, names.length - CHECKPOINTS_KEPT)).slice(0, PER_COMMIT)
  if (gone.length === 0) return
  await store.commit([...gone.map((name) => ({ op: 'del', key: kind.checkpoints + name }) as const), ...checksOf([fence])])
}

interface Fold {
  readonly sheet: Sheet<Folded>
  readonly folded: Folded
  readonly version: number
}

/** How far the log is in the trees of both kinds: it is cut behind all of them. */
async function foldsOf({ store, kind }: SetHost): Promise<readonly Fold[]> {
  const { role } = store.commits
  const kinds = [kind, ...[PERFORMANCE, DR].filter((other) => other !== kind && other.partOf(role).mode !== 'disabled')]
  const found = await Promise.all(kinds.map(async ({ folded: sheet }) => ({ sheet, ...(await sheet.read(store)) })))
  return found.flatMap(({ sheet, value, version }) => (value ? [{ sheet, folded: value, version }] : []))
}

function withoutCut(folded: Folded, cut: readonly LoggedFrame[]): Folded {
  const own = cut.filter(({ entry }) => entry > folded.first)
  const last = own.at(-1)
  return last ? { ...folded, first: last.entry, bytes: folded.bytes - own.reduce((sum, { bytes }) => sum + bytes, 0) } : folded
}
