/** The part of `MessagePort` that is used here, for Node and for the web. */

export interface WorkerPort {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void
  /** Registers listeners for `message` events, with `data`, and for `close` events if the platform has them. */
  addEventListener(type: string, listener: (event: object) => void): void
  start?(): void
  /** `ref` and `unref` determine whether the port keeps its thread alive. */
  ref?(): void
  unref?(): void
}

export const isPort = (value: unknown): value is WorkerPort =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<WorkerPort>).postMessage === 'function' &&
  typeof (value as Partial<WorkerPort>).addEventListener === 'function'
