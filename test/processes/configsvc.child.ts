/**
 * A configuration service in a separate process, on a shared store. It executes requests and reports their answers. Started by
 * configsvc.slow.test.ts.
 */
import { createConfigService } from '../../src/config-service.ts'
import type { KernelRequest } from '../../src/index.ts'
import { childArguments, received, send } from '../fixtures/child-side.ts'
import type { StoreAt } from '../fixtures/store-at.ts'
import { openStorage, SEAL } from './where.ts'

export interface ServiceArguments {
  readonly where: StoreAt
  readonly bootstrapToken: string
  /** The staleness bound in milliseconds. */
  readonly bound: number
}

export interface ChildRequest {
  readonly id: number
  readonly request: KernelRequest
}

export type ChildMessage =
  | { readonly type: 'open' }
  | {
      readonly type: 'answer'
      readonly id: number
      readonly status: number
      readonly body: unknown
      readonly index: string | undefined
    }

const { where, bootstrapToken, bound } = childArguments<ServiceArguments>()
const report = (message: ChildMessage): void => send(message)

const { storage, close } = openStorage(where)
const service = await createConfigService({
  storage,
  seal: SEAL,
  acl: { bootstrapToken: bootstrapToken },
  cache: { stalenessMs: bound },
})
report({ type: 'open' })

const answers = new Set<Promise<void>>()
for await (const message of received()) {
  if (message === 'end') break
  const { id, request } = message as ChildRequest
  const answer = service.handle(request).then(({ status, body, headers }) => {
    report({ type: 'answer', id, status, body, index: headers['X-Config-Index'] })
    answers.delete(answer)
  })
  answers.add(answer)
}
await Promise.all(answers)
await service.close()
await close()
process.stdin.destroy()
