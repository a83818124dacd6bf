import type { Engine, EngineChoice } from './core/contract/engine.ts'

/** Loads engines one after the other, so that loading blocks the event loop only briefly each time. */
export async function loadEngines(engines: readonly EngineChoice[]): Promise<readonly Engine[]> {
  const loaded: Engine[] = []
  for (const engine of engines) loaded.push('operations' in engine ? engine : await engine.load())
  return loaded
}
