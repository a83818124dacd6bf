/**
 * Replays recordings of a live OpenBao against a kernel. `test/fixtures/shared-data.ts` says where the recordings lie.
 */
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { Kernel } from '../../src/index.ts'
import { describeIfShared, noteSharedData, sharedUrl } from '../fixtures/shared-data.ts'

const FOLDER = 'transcripts/openbao/'

/** The names of OpenBao, which the recordings use. */
export const NAMING = { ciphertextPrefix: 'vault', headerPrefix: 'X-Vault' }

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
  /** The area and the file without its extension: `core/tokens`. */
  readonly name: string
  readonly title: string
  /** What the kernel is at the beginning: open, or not initialised, under a manual or an automatic seal. */
  readonly server: 'dev' | 'shamir' | 'auto'
  readonly steps: readonly unknown[]
  /** Servers that it asks for. */
  readonly needs?: object | string
  readonly options?: { readonly listener?: string }
}

/** For `it.each`: the name becomes the title. */
export type NamedTranscript = readonly [name: string, transcript: Transcript]

/** Whether a transcript asks for a PostgreSQL: those are replayed with the engine for databases. */
export const needsDatabase = ({ needs }: Transcript): boolean => typeof needs === 'object' && 'postgresql' in needs

/**
 * What an original makes and we do not, on purpose: convergent ciphertexts under the nonce that their plaintext has without associated data,
 * from two of which more can be forged. They open here, as the golden ones do.
 */
const NONCE = 'associated data has a say in the nonce'

/** OpenBao leaves the keys of such a user in use. */
const DISARMED = 'a user that could not be removed is denied everything, and its keys are inactive'

/** Vault and OpenBao leave the login of a user in use if its revocation statements fail. */
const LOCKED = 'a user whose revocation failed has no login until it is removed'

/** Without a policy the session would have all rights of the assumed role, although the role names groups to limit it. */
const UNLIMITED = 'a session whose groups have no policies is refused'

/** Vault and OpenBao store such a policy without a word. */
const UNMATCHED = 'a path that no request can match is warned of'

/** Tools mark keys for PSS that are RSA keys like all others; OpenBao refuses the public ones. */
const RESTRICTED = 'an RSA public key that is restricted to PSS is imported, with a warning'

const skipped = (reason: string, ...steps: readonly number[]): Readonly<Record<number, string>> =>
  Object.fromEntries(steps.map((step) => [step, reason]))

/** Steps that are answered otherwise, by transcript. They run all the same; one that passes is an error. */
const ANSWERED_OTHERWISE: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'cloud/creds-groups': skipped(UNLIMITED, 4),
  'cloud/leases': skipped(DISARMED, 42),
  'database/creds-revocation': skipped(LOCKED, 13, 47),
  'core/policies-malformed': skipped(UNMATCHED, 29),
  'transit/asym-import-public-refused': skipped(RESTRICTED, 10, 35),
  'transit/sym-known': skipped(NONCE, 24, 27, 30, 33),
}

interface Replayer {
  loadTranscripts(folder: string): readonly Transcript[]
  kernelCaller(kernel: Pick<Kernel, 'handle'>): unknown
  replay(transcript: Transcript, options: Readonly<Record<string, unknown>>): Promise<readonly StepResult[]>
}

const loadReplayer = (): Promise<Replayer> => import(sharedUrl('transcripts/replay.mjs').href) as Promise<Replayer>

/** The suite is called only if the recordings are present. */
export const describeTranscripts = (title: string, suite: () => Promise<void>): void => describeIfShared(FOLDER, title, suite)

export async function loadTranscripts(...areas: readonly string[]): Promise<readonly NamedTranscript[]> {
  const { loadTranscripts: load } = await loadReplayer()
  return areas.flatMap((area) =>
    load(fileURLToPath(sharedUrl(`${FOLDER}${area}/`))).map((transcript) => {
      const name = `${area}/${transcript.file.replace('.json', '')}`
      return [name, { ...transcript, name }] as const
    }),
  )
}

/** Replays the transcript, and fails unless every step is answered as recorded. */
export async function replayOn(
  kernel: Pick<Kernel, 'handle' | 'rootToken'>,
  transcript: Transcript,
  { skip: skippedToo, ...options }: Readonly<Record<string, unknown>>,
): Promise<readonly StepResult[]> {
  const { kernelCaller, replay } = await loadReplayer()
  const skip = { ...ANSWERED_OTHERWISE[transcript.name], ...(skippedToo as object | undefined) }
  const results = await replay(transcript, { call: kernelCaller(kernel), vars: { root: kernel.rootToken }, ...options, skip })
  noteSharedData(`${FOLDER}${transcript.name}.json`)
  const failed = results
    .map((result) => (result.passes ? { ...result, ok: false, problems: ['passes, and need not be left out'] } : result))
    .filter(({ ok }) => !ok)
  expect(failed.map(({ step, request, problems }) => ({ step, request, problems }))).toEqual([])
  return results
}

/** Steps that are left out for their nonce differ in the ciphertext alone. */
export function expectOtherNonces(results: readonly StepResult[]): void {
  for (const { passes, problems } of results.filter(({ skipped: reason }) => reason === NONCE)) {
    expect(passes).toBe(false)
    expect(problems).toEqual([expect.stringContaining('/data/ciphertext is ')])
  }
}
