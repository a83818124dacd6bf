/** Rewraps one field of each line of a JSONL file. Everything else in the lines stays as it is, byte by byte. */
import type { KeyCensus, RewrapItem, RewrapProgress, Transit } from '../../index.ts'
import { CommandError } from '../command-error.ts'
import type { LineTemplate } from './line-template.ts'
import { memberSpan, type TextSpan } from './member-span.ts'
import { readLines } from './read-lines.ts'
import type { ResumableOutput } from './resumable-output.ts'

export interface RewrapLinesOptions {
  readonly transit: Transit
  /** The name of the key. */
  readonly key: string
  /** The path of the input. */
  readonly path: string
  readonly field: string
  readonly aad: LineTemplate | undefined
  readonly context: LineTemplate | undefined
  readonly signal: AbortSignal
  /** Undefined for a dry run. */
  readonly output: ResumableOutput<RewrapState> | undefined
  onProgress(state: RewrapState): void
}

/** The state of a run at a checkpoint. */
export interface RewrapState {
  /** The offset in the input after the last finished line, in bytes. */
  readonly read: number
  /** The number of finished lines. */
  readonly lines: number
  /** The number of lines that do not have the field. They are kept as they are. */
  readonly skipped: number
  readonly failures: readonly LineFailure[]
  readonly progress: RewrapProgress | undefined
}

/** A line that could not be rewrapped. It is kept as it is. */
export interface LineFailure {
  /** The number of the line, beginning with 1. */
  readonly line: number
  readonly code: string
  readonly message: string
}

export interface RewrapOutcome extends RewrapState {
  readonly census: KeyCensus
}

/** A checkpoint waits for the disk, so it is made after some batches only. */
const CHECKPOINT_INTERVAL_MS = 500

const MAX_SHOWN_FAILURES = 100

const START: RewrapState = { read: 0, lines: 0, skipped: 0, failures: [], progress: undefined }

interface PendingLine {
  readonly text: string
  readonly end: number
  /** The place of the ciphertext. Undefined if the line does not have the field. */
  readonly span: TextSpan | undefined
}

export async function rewrapLines(options: RewrapLinesOptions): Promise<RewrapOutcome> {
  const { transit, key, output, signal } = options
  let state = output?.resumed ?? START
  const pending: PendingLine[] = []
  const failures = [...state.failures]
  let checkpointed = Number.NEGATIVE_INFINITY

  /** Writes the lines without the field that precede the next item. */
  async function writeSkipped(): Promise<void> {
    for (let next = pending[0]; next && !next.span; next = pending[0]) {
      await writeLine(next, next.text)
      state = { ...state, skipped: state.skipped + 1 }
    }
  }
  async function writeLine(line: PendingLine, text: string): Promise<void> {
    pending.shift()
    await output?.write(text)
    state = { ...state, read: line.end, lines: state.lines + 1 }
  }
  async function checkpoint(progress: RewrapProgress): Promise<void> {
    state = { ...state, failures, progress }
    options.onProgress(state)
    if (performance.now() - checkpointed < CHECKPOINT_INTERVAL_MS) return
    await output?.checkpoint(state)
    checkpointed = performance.now()
  }

  const run = transit.rewrapAll(
    { name: key, items: itemsOf(options, state, pending) },
    { signal, checkpoint, dryRun: output === undefined, ...(state.progress && { after: state.progress }) },
  )
  for (;;) {
    const { done, value } = await run.next()
    if (done) {
      await writeSkipped()
      return { ...state, failures, census: value }
    }
    await writeSkipped()
    const line = pending[0] as PendingLine
    const { from, to } = line.span as TextSpan
    if (value.error) {
      const { code, message } = value.error
      if (failures.length < MAX_SHOWN_FAILURES) failures.push({ line: state.lines + 1, code, message })
    }
    const isChanged = !value.error && !value.unchanged
    const { text } = line
    await writeLine(line, isChanged ? text.slice(0, from) + JSON.stringify(value.ciphertext) + text.slice(to) : text)
  }
}

/** Reads lines as the loop needs them, and adds each of them to `pending`. */
async function* itemsOf(
  { path, field, aad, context, signal }: RewrapLinesOptions,
  { read, lines }: RewrapState,
  pending: PendingLine[],
): AsyncGenerator<RewrapItem, void, undefined> {
  const utf8 = new TextEncoder()
  let number = lines
  for await (const { text, end } of readLines(path, read, signal)) {
    number++
    const fail = (rule: string): CommandError => new CommandError('failed', `line ${number}: ${rule}`)
    const object = parseLine(text, fail)
    const ciphertext = object && Object.hasOwn(object, field) ? object[field] : undefined
    if (!object || ciphertext === undefined || ciphertext === null) {
      pending.push({ text, end, span: undefined })
      continue
    }
    if (typeof ciphertext !== 'string') throw fail(`the field ${field} must be a string`)
    const filled = (template: LineTemplate | undefined): Uint8Array | undefined => {
      try {
        return template && utf8.encode(template(text, object))
      } catch (error) {
        throw fail((error as Error).message)
      }
    }
    const item = { ciphertext, associated_data: filled(aad), context: filled(context), reference: String(number) }
    pending.push({ text, end, span: memberSpan(text, field) })
    yield item
  }
}

/** Returns undefined for an empty line. */
function parseLine(text: string, fail: (rule: string) => CommandError): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw fail('is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fail('is not a JSON object')
  return value as Readonly<Record<string, unknown>>
}
