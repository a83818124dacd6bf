import { type PrometheusMetrics, prometheusMetrics } from '../adapters/metrics-prometheus/index.ts'
import type { ObservedKernel } from '../adapters/telemetry/observed-kernel.ts'
import type { PathHandler } from './http-server.ts'

/** Serves the metrics of a kernel at `/metrics`. They contain no names, so a reader needs no token. */
export class MetricsPage {
  readonly #kernel: () => ObservedKernel
  #observed: { readonly kernel: ObservedKernel; readonly metrics: PrometheusMetrics }

  /** @param kernel Returns the kernel of the server, which may be replaced by another one. */
  constructor(kernel: () => ObservedKernel) {
    this.#kernel = kernel
    this.#observed = observe(kernel())
  }

  /** Answers GET and HEAD with text for Prometheus. */
  readonly handler: PathHandler = (request, response) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const path = (request.url ?? '').split('?', 1)[0]
    if (path !== '/metrics' || !isRead) {
      response.writeHead(isRead ? 404 : 405, isRead ? {} : { Allow: 'GET, HEAD' })
      return void response.end()
    }
    const metrics = this.#current()
    void metrics.text().then((text) => {
      const headers = { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }
      response.writeHead(200, { ...headers, 'Content-Length': Buffer.byteLength(text) })
      response.end(request.method === 'HEAD' ? '' : text)
    })
  }

  close(): void {
    this.#observed.metrics.close()
  }

  #current(): PrometheusMetrics {
    const kernel = this.#kernel()
    if (kernel !== this.#observed.kernel) {
      this.close()
      this.#observed = observe(kernel)
    }
    return this.#observed.metrics
  }
}

const observe = (kernel: ObservedKernel) => ({ kernel, metrics: prometheusMetrics(kernel) })
