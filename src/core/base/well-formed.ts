/**
 * Methods that replace or find unpaired surrogates. They are part of ES2024 and exist in every supported runtime.
 */
interface WellFormed {
  isWellFormed(): boolean
  toWellFormed(): string
}

/** Whether a string can be encoded as UTF-8. Takes constant time for a string with one byte per character. */
export const isWellFormed = (text: string): boolean => (text as unknown as WellFormed).isWellFormed()

/** Replaces unpaired surrogates by U+FFFD. */
export const toWellFormed = (text: string): string => (text as unknown as WellFormed).toWellFormed()
