/**
 * What an original sent to the TokenReview API, what came back and how the login ended. The recordings lie beside the project.
 */
import { existsSync, readFileSync } from 'node:fs'
import type { ApiRequest } from '../../fixtures/token-review-api.ts'

const FILE = new URL('../../../../shared/transcripts/openbao/golden/orchestrator-tokenreview.json', import.meta.url)

export const recordingsPresent = existsSync(FILE)

/** A title that says why what it stands for is skipped, if it is. */
export const recordingsTitle = (what: string): string =>
  recordingsPresent ? what : `${what} (skipped: the folder shared/transcripts is absent)`

export interface Exchange {
  readonly name: string
  readonly host_path: string
  readonly token_reviewer_jwt?: string
  readonly jwt: string
  readonly request: Omit<ApiRequest, 'connection'>
  readonly response: { readonly status: number; readonly body: object | string }
  readonly login: { readonly status: number }
}

/** Those that came to a review; the others were refused before. */
export function reviewedExchanges(): readonly Exchange[] {
  if (!recordingsPresent) return []
  const { exchanges } = JSON.parse(readFileSync(FILE, 'utf8')) as { exchanges: readonly Exchange[] }
  return exchanges.filter(({ request }) => request !== undefined)
}

/** Every mode of the API there, taken apart where one line holds several. */
export function recordedModes(): readonly string[] {
  if (!recordingsPresent) return []
  const { modes } = JSON.parse(readFileSync(FILE, 'utf8')) as { modes: Readonly<Record<string, string>> }
  return Object.keys(modes)
    .filter((name) => !name.startsWith('('))
    .flatMap((name) => name.split(', '))
}
