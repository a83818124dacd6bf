/**
 * What an original sent to the TokenReview API, what came back and how the login ended. The recordings lie beside the project.
 */
import { describeWithShared, readSharedJson } from '../../fixtures/shared-data.ts'
import type { ApiRequest } from '../../fixtures/token-review-api.ts'

const FILE = 'transcripts/openbao/golden/orchestrator-tokenreview.json'

/** The suite is called only if the recordings are present. */
export const describeRecordings = (title: string, suite: () => void): void => describeWithShared(FILE, title, suite)

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
  const { exchanges } = readSharedJson<{ exchanges: readonly Exchange[] }>(FILE)
  return exchanges.filter(({ request }) => request !== undefined)
}

/** Every mode of the API there, taken apart where one line holds several. */
export function recordedModes(): readonly string[] {
  const { modes } = readSharedJson<{ modes: Readonly<Record<string, string>> }>(FILE)
  return Object.keys(modes)
    .filter((name) => !name.startsWith('('))
    .flatMap((name) => name.split(', '))
}
