/**
 * Replays what a live original answered against a kernel of ours. The recordings lie beside the project; where they are absent the tests
 * skip and say so.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Kernel } from '../../src/index.ts'

const FOLDER = new URL('../../../shared/transcripts/', import.meta.url)

export const transcriptsPresent = existsSync(FOLDER)

export interface StepResult {
  readonly step: number
  readonly request: string
  readonly ok: boolean
  readonly problems: readonly string[]
  readonly skipped?: string
  readonly passes?: boolean
}

export interface Transcript {
  readonly file: string
  readonly title: string
  /** What the kernel is at the beginning: open, or not initialised, under a manual or an automatic seal. */
  readonly server: 'dev' | 'shamir' | 'auto'
  readonly steps: readonly unknown[]
  /** Servers that it asks for. */
  readonly needs?: object | string
}

/** Whether a transcript asks for a PostgreSQL: those are replayed with the engine for databases. */
export const needsDatabase = ({ needs }: Transcript): boolean => typeof needs === 'object' && 'postgresql' in needs

/**
 * What an original makes and we do not, on purpose: convergent ciphertexts under the nonce that their plaintext has without associated data,
 * from two of which more can be forged. They open here, as the golden ones do.
 */
const NONCE = 'associated data has a say in the nonce'

/** Steps whose answer was decided otherwise after they were written down, by file. They run all the same; one that passes is an error. */
const DECIDED_SINCE: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'what-is-wrapped.json': {
    23: 'an answer with data is wrapped whatever its status, as the original does (the design, section 8)',
  },
  'sym-known.json': { 24: NONCE, 27: NONCE, 30: NONCE, 33: NONCE },
}

interface Replayer {
  loadTranscripts(folder: string): readonly Transcript[]
  kernelCaller(kernel: Kernel): unknown
  replay(transcript: Transcript, options: Readonly<Record<string, unknown>>): Promise<readonly StepResult[]>
}

const loadReplayer = (): Promise<Replayer> => import(new URL('replay.mjs', FOLDER).href) as Promise<Replayer>

/**
 * Steps whose recorded answer counts although they say `differs`: a list was to be judged with its last slash first, as newer releases of
 * the original do. It was decided since that the live one is followed.
 */
const AS_RECORDED: Readonly<Record<string, readonly number[]>> = { 'core/acl-requests.json': [22, 23, 24, 25] }

export async function loadTranscripts(area: string): Promise<readonly Transcript[]> {
  const { loadTranscripts: load } = await loadReplayer()
  return load(fileURLToPath(new URL(`openbao/${area}/`, FOLDER))).map((transcript) => {
    const recorded = AS_RECORDED[`${area}/${transcript.file}`] ?? []
    const steps = transcript.steps.map((step, index) =>
      recorded.includes(index) ? { ...(step as object), differs: undefined } : step,
    )
    return { ...transcript, steps }
  })
}

export async function replayOn(
  kernel: Kernel,
  transcript: Transcript,
  options: Readonly<Record<string, unknown>>,
): Promise<readonly StepResult[]> {
  const { kernelCaller, replay } = await loadReplayer()
  const skip = DECIDED_SINCE[transcript.file] ?? {}
  const results = await replay(transcript, { call: kernelCaller(kernel), vars: { root: kernel.rootToken }, skip, ...options })
  return results.map((result) =>
    result.passes ? { ...result, ok: false, problems: ['passes, and need not be left out'] } : result,
  )
}
