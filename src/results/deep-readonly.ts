/** `T` with every property and element readonly: what is recorded is never changed afterwards. */
export type DeepReadonly<T> = T extends readonly [infer Head, ...infer Tail]
  ? readonly [DeepReadonly<Head>, ...DeepReadonlyTuple<Tail>]
  : T extends readonly (infer Element)[]
    ? readonly DeepReadonly<Element>[]
    : T extends object
      ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
      : T

type DeepReadonlyTuple<T extends readonly unknown[]> = { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
