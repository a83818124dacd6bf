/** Loads an SDK, which is an optional peer dependency, when it is first used. */
import { SyncError } from './sync-error.ts'

/** @throws SyncError of kind `internal` if the package is not installed. */
export async function loadSdk<T>(name: string): Promise<T> {
  try {
    // The name is a variable, because the compiler would resolve the package and its types for a literal name.
    return (await import(name)) as T
  } catch {
    throw new SyncError('internal', 'sdk_not_installed')
  }
}
