interface FieldHeadProps {
  readonly first: string;
  readonly low: string; // what the left end of the scale is
  readonly high: string;
}

/** The heads over rows that show a subject beside the others. */
export function FieldHead({ first, low, high }: FieldHeadProps) {
  return (
    <thead>
      <tr>
        <th scope="col" className="w-2/5 lg:w-80">
          {first}
        </th>
        <th scope="col">
          <span className="sr-only">Value beside those of all subjects</span>
          <span aria-hidden="true" className="flex justify-between font-normal">
            <span>{low}</span>
            <span>{high}</span>
          </span>
        </th>
        <th scope="col" className="w-16 text-right">
          Subject
        </th>
        <th scope="col" className="w-16 text-right">
          Median
        </th>
      </tr>
    </thead>
  );
}
