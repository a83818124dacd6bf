/**
 * What an action of the fake cloud is given.
 */
import type { Answer } from './answer.ts'
import type { Params } from './params.ts'
import type { Caller } from './state.ts'
import type { World } from './world.ts'

export interface Request {
  readonly world: World
  readonly caller: Caller
  readonly params: Params
  /** Things a page at most. */
  readonly most: number
}

/** Judges and applies at once. @throws AwsRefusal */
export type Action = (request: Request) => Answer
