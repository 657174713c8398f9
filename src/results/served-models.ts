/** Whether one and the same model answered while a model was measured, as far as its server says. */
import type { TrialRecord } from './record-schema.ts'

/** One sentence for each measured model for which the server named more than one. Pure. */
export function servedNotes(records: readonly Pick<TrialRecord, 'model' | 'models_served'>[]): readonly string[] {
  const served = new Map<string, Set<string>>()
  for (const { model, models_served } of records) {
    const names = served.get(model) ?? new Set()
    for (const name of models_served) names.add(name)
    served.set(model, names)
  }
  return [...served].flatMap(([model, names]) =>
    names.size < 2
      ? []
      : [
          `warning  while "${model}" was measured, the server said that different models answered: ${[...names].join(', ')}. ` +
            'The results mix them. Check whether the server loads or evicts models automatically.',
        ],
  )
}
