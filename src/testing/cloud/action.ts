import type { ActionAnswer } from './answer.ts'
import type { FakeCloudWorld } from './fake-cloud-world.ts'
import type { QueryParams } from './params.ts'
import type { CloudCaller } from './state.ts'

export interface ActionRequest {
  readonly world: FakeCloudWorld
  readonly caller: CloudCaller
  readonly params: QueryParams
  /** The maximum number of items on one page of a list. */
  readonly pageLimit: number
}

/** Validates a request and performs it. @throws AwsRefusal */
export type CloudAction = (request: ActionRequest) => ActionAnswer
