/** `strongroom/otel`: spans and metrics of a kernel for OpenTelemetry. */
export { type InstrumentOptions, instrument, type KernelInstrumentation } from './instrument.ts'
