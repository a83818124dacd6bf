/**
 * Requests and events on `node:diagnostics_channel`, for tracing without a dependency.
 *
 * The channels `tracing:strongroom.request:start`, `:end`, `:asyncStart`, `:asyncEnd` and `:error` publish a {@link TracedRequest}, and
 * `strongroom.event` publishes a `KernelEvent`. Without subscribers, no objects are created.
 */
import { channel, tracingChannel } from 'node:diagnostics_channel'
import { KernelError } from '../../core/base/errors.ts'
import type { TracedRequest, Tracer } from '../../core/contract/tracer.ts'

const requests = /* @__PURE__ */ tracingChannel<unknown, TracedRequest>('strongroom.request')
const events = /* @__PURE__ */ channel('strongroom.event')

export const tracer: Tracer = {
  get listening() {
    return requests.hasSubscribers
  },
  // `tracePromise` is not used, because it would publish the result of the request.
  request(about, run, ended) {
    const over = (): void => {
      requests.asyncStart.publish(about)
      requests.asyncEnd.publish(about)
    }
    return requests.start.runStores(about, () => {
      const answer = run().then(
        (value) => {
          ended(value, about)
          over()
          return value
        },
        (error: unknown) => {
          if (error instanceof KernelError) Object.assign(about, { status: error.status, code: error.code })
          else about.code = error instanceof TypeError ? 'TypeError' : '_OTHER'
          requests.error.publish(about)
          over()
          throw error
        },
      )
      requests.end.publish(about)
      return answer
    })
  },
  events: {
    get listening() {
      return events.hasSubscribers
    },
    publish: (event) => events.publish(event),
  },
}
