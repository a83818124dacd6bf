/** The stored verdict of a commit. It is the answer to a repeated commit id, and has the changes that watchers receive. */
import type { Change, Commit, Conflict } from '../../core/storage/port.ts'
import { revisionOf } from './layout.ts'
import type { KeyValue } from './messages.ts'

interface Success {
  readonly slot: number
  readonly keys: readonly string[]
  readonly appended?: readonly number[]
}

type Text = Success | Omit<Conflict, 'ok'>

export function successText(slot: number, keys: readonly string[], appended: readonly number[]): Buffer {
  const text: Success = appended.length > 0 ? { slot, keys, appended } : { slot, keys }
  return Buffer.from(JSON.stringify(text))
}

export function conflictText({ conflict, version }: Conflict): Buffer {
  return Buffer.from(JSON.stringify({ conflict, version } satisfies Text))
}

const parse = ({ value }: KeyValue): Text => JSON.parse(value.toString('utf8')) as Text

export function readVerdict(stored: KeyValue): Commit {
  const text = parse(stored)
  if ('conflict' in text) return { ok: false, conflict: text.conflict, version: text.version }
  return { ok: true, revision: revisionOf(stored.modified, text.slot), appended: text.appended ?? [] }
}

/** Undefined for a conflict, which changed nothing. */
export function readChange(stored: KeyValue): Change | undefined {
  const text = parse(stored)
  return 'conflict' in text ? undefined : { revision: revisionOf(stored.modified, text.slot), keys: text.keys }
}
