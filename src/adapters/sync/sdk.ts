/** Loads an SDK, a peer dependency, at its first use. */
import { SyncError } from './sync-error.ts'

/** @throws SyncError of kind `internal` if the package is not installed. */
export async function loadSdk<T>(name: string): Promise<T> {
  try {
    // With a literal name, the compiler would resolve the package and its types.
    return (await import(name)) as T
  } catch {
    throw new SyncError('internal', 'sdk_not_installed')
  }
}
