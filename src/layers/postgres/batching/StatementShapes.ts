/**
 * Makes the statement of each shape once. A shape is plain data: which optional parts a batch needs. Most batches need
 * the same ones.
 */
export const statementOfShape = <Shape, Statement>(make: (shape: Shape) => Statement) => {
  const made = new Map<string, Statement>()
  return (shape: Shape): Statement => {
    const name = JSON.stringify(shape)
    const known = made.get(name)
    if (known !== undefined) return known
    const statement = make(shape)
    made.set(name, statement)
    return statement
  }
}
