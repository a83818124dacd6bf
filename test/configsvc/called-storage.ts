/** A storage that records the names of the methods that were called, in order. */
import type { Storage } from '../../src/index.ts'

export interface CalledStorage {
  readonly storage: Storage
  readonly calls: string[]
}

export function calledStorage(inner: Storage): CalledStorage {
  const calls: string[] = []
  const storage = new Proxy(inner, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver)
      if (typeof value !== 'function') return value
      return (...args: readonly unknown[]) => {
        calls.push(String(name))
        return value.apply(target, args)
      }
    },
  })
  return { storage, calls }
}
