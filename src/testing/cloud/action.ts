/**
 * What an action of the fake cloud is given.
 */
import type { ActionAnswer } from './answer.ts'
import type { FakeCloudWorld } from './fake-cloud-world.ts'
import type { QueryParams } from './params.ts'
import type { CloudCaller } from './state.ts'

export interface ActionRequest {
  readonly world: FakeCloudWorld
  readonly caller: CloudCaller
  readonly params: QueryParams
  /** Things a page at most. */
  readonly pageLimit: number
}

/** Judges and applies at once. @throws AwsRefusal */
export type CloudAction = (request: ActionRequest) => ActionAnswer
