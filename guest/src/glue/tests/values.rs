//! Values of SQL, in both directions.

use super::*;

#[test]
fn values_of_sql_cross_as_json_with_marks() {
    let rows = [
        ("[]", "[]"),
        (r#"[1, 1.5, 1e21, true, null, "a\"\\\n\u00e9"]"#, "[1,1.5,1e+21,true,null,\"a\\u0022\\u005c\\u000a\u{e9}\"]"),
        ("[-0, NaN, -Infinity]", r#"[["number","-0"],["number","NaN"],["number","-Infinity"]]"#),
        ("[-12345678901234567890n]", r#"[["bigint","-12345678901234567890"]]"#),
        ("[new Date(0)]", r#"[["date","1970-01-01T00:00:00.000Z"]]"#),
        (
            "[new Uint8Array([0, 255]), new Uint8Array([1, 2, 3]).subarray(1, 2)]",
            r#"[["bytes","00ff"],["bytes","02"]]"#,
        ),
        ("[[1, [null]], []]", r#"[["array",[1,["array",[null]]]],["array",[]]]"#),
        ("[{ a: 1, b: undefined, c: new Date(0) }]", r#"[["json",{"a":1,"c":"1970-01-01T00:00:00.000Z"}]]"#),
    ];
    for (values, expected) in rows {
        assert_eq!(taken("values", values), expected, "{values}");
    }
    assert_eq!(taken("values", "'text'"), "TypeError: params must be an array, not a string");
    assert_eq!(taken("values", "[new Date(NaN)]"), "RangeError: params[0] is an invalid Date");
    assert!(taken("values", "[[1, undefined]]").ends_with("not undefined"));
    let changed =
        "Date.prototype.toISOString = Date.prototype.valueOf = () => 'mine'; g.test.take('values', [new Date(0)])";
    assert_eq!(evaluate(changed), r#"[["date","1970-01-01T00:00:00.000Z"]]"#);
}

#[test]
fn rows_of_sql_have_uint8arrays_where_bytes_are_named() {
    let runtime = Runtime::new(Config::default()).unwrap();
    runtime.context().with(|ctx| {
        install(&ctx).unwrap();
        let text = concat!(
            r#"{"columns":["a","b","c"],"bytes":[true,true,false],"floats":[false,false,false]}"#,
            "\n[\"00ff\",[\"01\",null],\"00\"]\n[null,[],\"\"]\n"
        );
        ctx.globals().set("rows", sql::rows(&ctx, text.to_owned()).unwrap()).unwrap();
        let told =
            "[rows[0].a instanceof Uint8Array, rows[0].a, rows[0].b[0], rows[0].b[1], rows[0].c, rows[1].a].join('|')";
        assert_eq!(ctx.eval::<String, _>(told).unwrap(), "true|0,255|1||00|");
        let text = concat!(
            r#"{"columns":["__proto__","x","x",""],"bytes":[false,false,false,false],"floats":[false,false,false,false]}"#,
            "\n[ {\"a\" : \"]\\\"\", \"b\":[1,\n2]} ,1,-0,\"\\ud800\\\\\"]\n[true,false,-2147483648,2147483648]\n[null,0,1.5e3,1e400]\n"
        );
        ctx.globals().set("rows", sql::rows(&ctx, text.to_owned()).unwrap()).unwrap();
        let told = r#"JSON.stringify(rows) + rows.map((row) => Object.is(row.x, -0) + Object.keys(row).join()).join()"#;
        assert_eq!(
            ctx.eval::<String, _>(told).unwrap(),
            concat!(
                r#"[{"__proto__":{"a":"]\"","b":[1,2]},"x":0,"":"\ud800\\"},"#,
                r#"{"__proto__":true,"x":-2147483648,"":2147483648},{"__proto__":null,"x":1500,"":null}]"#,
                "true__proto__,x,,false__proto__,x,,false__proto__,x,"
            )
        );
        let head = "{\"columns\":[\"a\",\"b\",\"c\"],\"bytes\":[false,false,false],\"floats\":[false,false,false]}\n";
        let texts = ["", "[1,\"\\ \n", " s3:abc]\n[", "Größe", "日本😀", "\u{1}\u{7f}\u{2028}\u{feff}"];
        let body: String = texts.iter().map(|text| format!("[s{0}:{text}, s{0}:{text},1]\n", text.len())).collect();
        ctx.globals().set("rows", sql::rows(&ctx, head.to_owned() + &body).unwrap()).unwrap();
        let told: Vec<String> = ctx.eval("rows.flatMap((row) => [row.a, row.b, String(row.c)])").unwrap();
        let expected: Vec<_> = texts.iter().flat_map(|text| [*text, *text, "1"]).collect();
        assert_eq!(told, expected);
        let empty = "{\"columns\":[],\"bytes\":[],\"floats\":[]}\n[]\n[]\n";
        assert_eq!(sql::rows(&ctx, empty.to_owned()).unwrap().as_array().unwrap().len(), 2);
        let none = sql::row(&ctx, r#"{"row":null,"bytes":["a"],"floats":["b"]}"#.to_owned()).unwrap();
        assert!(none.is_null());
        let value = sql::value(&ctx, r#"{"value":"0a","bytes":true,"floats":false}"#.to_owned()).unwrap();
        assert!(value.as_object().unwrap().as_typed_array::<u8>().is_some());
    });
}

#[test]
fn nan_and_the_infinities_are_numbers_in_columns_of_floats() {
    let runtime = Runtime::new(Config::default()).unwrap();
    runtime.context().with(|ctx| {
        install(&ctx).unwrap();
        let text = concat!(
            r#"{"columns":["a","b","c"],"bytes":[false,false,false],"floats":[true,true,false]}"#,
            "\n[\"NaN\",[1,\"Infinity\",null,[\"-Infinity\"]],\"NaN\"]\n[1.5,\"[0:0]={NaN}\",null]\n"
        );
        ctx.globals().set("rows", sql::rows(&ctx, text.to_owned()).unwrap()).unwrap();
        let told = "[rows[0].a, rows[0].b[1], rows[0].b[3][0], rows[0].c, rows[1].a, rows[1].b].map((one) => typeof one + one).join('|')";
        assert_eq!(
            ctx.eval::<String, _>(told).unwrap(),
            "numberNaN|numberInfinity|number-Infinity|stringNaN|number1.5|string[0:0]={NaN}"
        );
        let row = r#"{"row":{"a":"NaN","b":"NaN"},"bytes":[],"floats":["a"]}"#;
        ctx.globals().set("row", sql::row(&ctx, row.to_owned()).unwrap()).unwrap();
        assert_eq!(ctx.eval::<String, _>("typeof row.a + typeof row.b").unwrap(), "numberstring");
        let value = sql::value(&ctx, r#"{"value":"-Infinity","bytes":false,"floats":true}"#.to_owned()).unwrap();
        assert_eq!(value.as_float(), Some(f64::NEG_INFINITY));
    });
}
