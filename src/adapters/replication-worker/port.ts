/**
 * What is used of a `MessagePort`, of Node or of the web.
 */

export interface WorkerPort {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void
  /** For the events `message`, with `data`, and `close`, where there is one. */
  addEventListener(type: string, listener: (event: object) => void): void
  start?(): void
  /** Whether the port keeps its thread alive. */
  ref?(): void
  unref?(): void
}

export const isPort = (value: unknown): value is WorkerPort =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<WorkerPort>).postMessage === 'function' &&
  typeof (value as Partial<WorkerPort>).addEventListener === 'function'
