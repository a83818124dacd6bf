/** Reports the requests, events and status of a kernel to OpenTelemetry. */
import { type MeterProvider, metrics, type TracerProvider, trace } from '@opentelemetry/api'
import { readOptions } from '../../core/base/options.ts'
import { VERSION } from '../../core/base/version.ts'
import { kernelIdOf, type ObservedKernel } from '../telemetry/observed-kernel.ts'
import { reportMetrics } from './report-metrics.ts'
import { reportSpans } from './report-spans.ts'

export interface InstrumentOptions {
  /** The provider of the tracer that makes the spans. Default: the global provider. */
  readonly tracerProvider?: TracerProvider
  /** The provider of the meter that makes the metrics. Default: the global provider at the time of the call. */
  readonly meterProvider?: MeterProvider
  /** Attributes that every span and every metric gets, for example to distinguish several kernels of a process. Default: none. */
  readonly attributes?: Readonly<Record<string, string>>
}

/** The telemetry of a kernel, which is active until {@link disable} is called. */
export interface KernelInstrumentation {
  /** Resumes reporting. Has no effect while the telemetry is active. */
  enable(): void
  /** Stops reporting: no more spans begin, and all metrics stop. Spans of running requests still end. Has no effect when called again. */
  disable(): void
}

/** The name of the tracer and of the meter: the instrumentation scope. */
const SCOPE = 'strongroom'

/**
 * Makes a span for each request of a kernel, and metrics of its requests, events and status. Begins at once. Register the providers and the
 * context manager of OpenTelemetry first.
 *
 * A span is called `strongroom.<engine>.<operation>`, such as `strongroom.transit.encrypt`. Its parent is the active span, and it is the
 * active span during the request, so that spans of a database driver become its children. Neither spans nor metrics contain names of keys,
 * paths, tokens or values. Synchronous calls of key handles are not reported.
 * @throws TypeError for an object that is not a kernel, and for an invalid option.
 * @example
 * const telemetry = instrument(kernel)
 */
export function instrument(kernel: ObservedKernel, options: InstrumentOptions = {}): KernelInstrumentation {
  const kernelId = kernelIdOf(kernel)
  const {
    tracerProvider,
    meterProvider,
    attributes = {},
  } = readOptions('instrument', options, {
    tracerProvider: 1,
    meterProvider: 1,
    attributes: 1,
  })
  if (tracerProvider !== undefined && typeof tracerProvider?.getTracer !== 'function')
    throw new TypeError('tracerProvider: must have the method getTracer')
  if (meterProvider !== undefined && typeof meterProvider?.getMeter !== 'function')
    throw new TypeError('meterProvider: must have the method getMeter')
  if (
    typeof attributes !== 'object' ||
    attributes === null ||
    Object.values(attributes).some((value) => typeof value !== 'string')
  )
    throw new TypeError('attributes: must be an object whose values are strings')
  const own = { ...attributes }
  const tracer = (tracerProvider ?? trace.getTracerProvider()).getTracer(SCOPE, VERSION)
  const meter = (meterProvider ?? metrics.getMeterProvider()).getMeter(SCOPE, VERSION)
  let stops: (() => void)[] = []
  const instrumentation: KernelInstrumentation = {
    enable() {
      if (stops.length === 0) stops = [reportSpans(kernelId, tracer, own), reportMetrics(kernel, kernelId, meter, own)]
    },
    disable() {
      for (const stop of stops) stop()
      stops = []
    },
  }
  instrumentation.enable()
  return instrumentation
}
